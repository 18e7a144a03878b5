/*
 * Shared memories on a team's server. Events are appended under a lock, so that their numbers give the order in which
 * they become visible. Reads and writes run as a database role whose policies decide what the principal may see.
 */

import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto"
import type { TransactionSQL } from "bun"
import { AmanError } from "../../../src/base/index.ts"
import type { PullAnswer } from "../../../src/index/index.ts"
import type { Principal } from "./access.ts"
import { type Catalogue, note } from "./catalogue.ts"

type SharedEvent = PullAnswer["events"][number]
type TeamEvent = Omit<SharedEvent, "owner" | "repository">

export type SharedSubject = {
  readonly subject: string
  /** "private": its owner; "readers": all who may read its repository; else a team's name. */
  readonly visibility: string
  readonly repository: string | null
  readonly events: readonly TeamEvent[]
  readonly isPurged: boolean
}

/** Serializes writers, so that events become visible in the order of their numbers. */
const APPEND_LOCK = 5_418_361_723

const MAX_EVENTS = 500
const MAX_PULLED_CHARACTERS = 4 << 20

/**
 * Stores events of one entry of `who`, all or none; events that are stored already are skipped, and a purge removes all
 * others. Returns why the entry was refused, or null.
 */
export async function pushSubject(
  catalogue: Catalogue,
  who: Principal,
  pushed: SharedSubject,
): Promise<string | null> {
  try {
    await asPrincipal(catalogue, who, async (sql) => {
      await sql`SELECT pg_advisory_xact_lock(${APPEND_LOCK})`
      const { wasPurged } = await saveSubject(sql, who, pushed)
      if (wasPurged) return
      const { subject, isPurged, events } = pushed
      if (isPurged)
        await sql`DELETE FROM aman.memory_events WHERE subject = ${subject} AND owner_id = ${who.id}`
      await insertEvents(sql, who, isPurged ? events.slice(-1) : events, pushed)
      if (isPurged)
        await sql`
          UPDATE aman.memory_subjects SET purged_at = now() WHERE subject = ${subject} AND owner_id = ${who.id}`
    })
    return null
  } catch (error) {
    if (error instanceof RefusedError) return error.message
    if (isConflict(error)) return TAKEN
    throw error
  }
}

/**
 * Events after the place `after` that `who` can see, in order. An entry of `who` hides one of the same id that another
 * person shares. `key` encrypts places.
 */
export async function pullEvents(
  catalogue: Catalogue,
  who: Principal,
  after: string,
  key: Buffer,
): Promise<Omit<PullAnswer, "principal">> {
  const read = async (sql: TransactionSQL) => {
    const rows: EventRow[] = await sql`
      SELECT e.seq, e.id, e.at, e.subject, e.body, p.name AS owner, r.name AS repository
      FROM aman.memory_events e JOIN aman.memory_subjects s ON s.subject = e.subject AND s.owner_id = e.owner_id
      JOIN aman.principals p ON p.id = s.owner_id
      LEFT JOIN aman.repositories r ON r.id = s.repository_id AND aman.may_read(r.id)
      WHERE e.seq > ${seqAt(after, who, key)} AND (s.owner_id = ${who.id} OR NOT EXISTS (
        SELECT 1 FROM aman.memory_subjects own WHERE own.subject = s.subject AND own.owner_id = ${who.id}))
      ORDER BY e.seq LIMIT ${MAX_EVENTS + 1}`
    const [{ digest }] = await sql`
      SELECT md5(coalesce(string_agg(DISTINCT subject COLLATE "C", ',' ORDER BY subject COLLATE "C"), '')) AS digest
      FROM aman.memory_subjects`
    const fitting = fittingRows(rows.slice(0, MAX_EVENTS))
    const last = fitting.at(-1)
    return {
      events: fitting.map(({ seq: _, ...event }) => event),
      next: last === undefined ? after : placeOf(last.seq, who, key),
      more: fitting.length < rows.length,
      digest,
    }
  }
  return asPrincipal(catalogue, who, read, true)
}

/** Removes a shared memory from the server; each client removes it at its next synchronisation. Throws NOT_FOUND. */
export async function purgeShared(
  catalogue: Catalogue,
  who: string,
  purge: { readonly id: string; readonly at: string; readonly subject: string },
): Promise<void> {
  const { id, at, subject } = purge
  await catalogue.transaction(async (sql) => {
    await sql`SELECT pg_advisory_xact_lock(${APPEND_LOCK})`
    const rows = await sql`
      UPDATE aman.memory_subjects SET purged_at = now() WHERE subject = ${subject} RETURNING 1`
    if (rows.length === 0)
      throw new AmanError("NOT_FOUND", `no shared memory has the id ${JSON.stringify(subject)}`)
    await sql`DELETE FROM aman.memory_events WHERE subject = ${subject}`
    await sql`
      INSERT INTO aman.memory_events (id, at, subject, body, owner_id, is_private)
      SELECT ${id}, ${at}, subject, ${PURGED}, owner_id, visibility = 'private' FROM aman.memory_subjects
      WHERE subject = ${subject}`
    await note(sql, who, "purge memory", subject)
  })
}

const TAKEN = "another person has shared it"

const PURGED = JSON.stringify({ type: "purged" })

class RefusedError extends Error {}

/**
 * Runs `act` as a role for which the policies of the tables hold, so that they decide for this principal. With
 * `isReading`, all statements see one state of the database, so that a digest fits the events returned with it.
 */
async function asPrincipal<T>(
  catalogue: Catalogue,
  { id }: Principal,
  act: (sql: TransactionSQL) => Promise<T>,
  isReading = false,
): Promise<T> {
  return catalogue.transaction(async (sql) => {
    if (isReading) await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
    await sql`SELECT set_config('aman.principal', ${id}, true)`
    const [policies] = await sql`SELECT row_security_active('aman.memory_subjects') AS hold`
    // Policies do not hold for a superuser.
    if (!policies.hold) await sql`SET LOCAL ROLE aman_memory`
    return act(sql)
  })
}

/**
 * Adds the entry, or changes who can see it. `wasPurged`: the entry was purged before, so that no events may be stored
 * for it.
 */
async function saveSubject(
  sql: TransactionSQL,
  who: Principal,
  { subject, visibility, repository }: SharedSubject,
): Promise<{ readonly wasPurged: boolean }> {
  const [readable] = await sql`
    SELECT id FROM aman.repositories WHERE name = ${repository} AND aman.may_read(id)`
  if (visibility === "readers" && readable === undefined)
    throw new RefusedError(
      repository === null
        ? "it belongs to no repository; share it with a team"
        : `you can read no repository named ${repository}`,
    )
  const isTeam = visibility !== "readers" && visibility !== "private"
  const [team] = isTeam
    ? await sql`SELECT id FROM aman.teams WHERE name = ${visibility} AND aman.is_member(id)`
    : []
  if (isTeam && team === undefined) throw new RefusedError(`you are in no team named ${visibility}`)
  const kind = isTeam ? "team" : visibility
  const [repositoryId, teamId] = [readable?.id ?? null, team?.id ?? null]
  await refuseIfVisible(sql, who, subject)
  await sql`
    INSERT INTO aman.memory_subjects (subject, owner_id, visibility, repository_id, team_id)
    VALUES (${subject}, ${who.id}, ${kind}, ${repositoryId}, ${teamId}) ON CONFLICT DO NOTHING`
  const [stored] = await sql`
    SELECT visibility, team_id, purged_at FROM aman.memory_subjects
    WHERE subject = ${subject} AND owner_id = ${who.id}`
  if (stored === undefined) throw new RefusedError(TAKEN)
  if (stored.purged_at !== null) return { wasPurged: true }
  if (stored.visibility !== kind || stored.team_id !== teamId) {
    await sql`
      UPDATE aman.memory_subjects SET visibility = ${kind}, team_id = ${teamId}, repository_id = ${repositoryId}
      WHERE subject = ${subject} AND owner_id = ${who.id}`
    // The events get new numbers, so that clients that could not see the entry before receive it now.
    await sql`
      UPDATE aman.memory_events SET seq = DEFAULT, is_private = ${kind === "private"}
      WHERE subject = ${subject} AND owner_id = ${who.id}`
  }
  return { wasPurged: false }
}

/** An entry that `who` sees is another person's; about one that `who` does not see, nothing may be said. */
async function refuseIfVisible(sql: TransactionSQL, { id }: Principal, subject: string): Promise<void> {
  const [visible] = await sql`
    SELECT 1 FROM aman.memory_subjects WHERE subject = ${subject} AND owner_id <> ${id}`
  if (visible !== undefined) throw new RefusedError(TAKEN)
}

async function insertEvents(
  sql: TransactionSQL,
  who: Principal,
  events: readonly TeamEvent[],
  { subject, visibility }: SharedSubject,
): Promise<void> {
  for (const { id, at, body } of events)
    await sql`
      INSERT INTO aman.memory_events (id, at, subject, body, owner_id, is_private)
      VALUES (${id}, ${at}, ${subject}, ${body}, ${who.id}, ${visibility === "private"}) ON CONFLICT DO NOTHING`
  const ids = events.map(({ id }) => id)
  const [{ n }] = await sql`
    SELECT count(*) AS n FROM aman.memory_events
    WHERE subject = ${subject} AND owner_id = ${who.id} AND id = ANY(${sql.array(ids, "TEXT")})`
  if (Number(n) < new Set(ids).size) throw new RefusedError("an event of another entry has the same id")
}

/** PostgreSQL's code for a value that a unique index has already. */
const DUPLICATE = "23505"

function isConflict(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return (cause as { readonly errno?: string } | null)?.errno === DUPLICATE
}

type EventRow = SharedEvent & { readonly seq: string }

/**
 * The place after an event for one principal: its number, encrypted, because numbers without gaps would show how many
 * events the principal cannot see.
 */
function placeOf(seq: string, { id }: Principal, key: Buffer): string {
  const block = Buffer.alloc(BLOCK_BYTES)
  block.writeBigUInt64BE(BigInt(id), 0)
  block.writeBigUInt64BE(BigInt(seq), 8)
  const cipher = createCipheriv(CIPHER, placeKey(key), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(block), cipher.final()]).toString("base64url")
}

/** The number of the event at a place; "0" if this server did not make it for this principal: all events are new. */
function seqAt(place: string, { id }: Principal, key: Buffer): string {
  const bytes = Buffer.from(place, "base64url")
  if (bytes.length !== BLOCK_BYTES) return "0"
  const decipher = createDecipheriv(CIPHER, placeKey(key), null).setAutoPadding(false)
  const block = Buffer.concat([decipher.update(bytes), decipher.final()])
  return block.readBigUInt64BE(0) === BigInt(id) ? String(block.readBigUInt64BE(8)) : "0"
}

// A place is one block, so that the mode without an initial vector shows nothing.
const CIPHER = "aes-256-ecb"
const BLOCK_BYTES = 16

function placeKey(key: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", "places in the team's memory", 32))
}

function fittingRows(rows: readonly EventRow[]): readonly EventRow[] {
  let characters = 0
  const count = rows.findIndex(({ body }) => {
    characters += body.length
    return characters > MAX_PULLED_CHARACTERS
  })
  // The page contains at least one event, which always fits, because the size of an event is limited when it is
  // stored.
  return count === -1 ? rows : rows.slice(0, Math.max(1, count))
}
