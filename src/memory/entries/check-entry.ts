/*
 * Checks and normalises everything that is stored: fields of entries, relations, labels, metadata and reasons.
 * Private parts are removed, limits are enforced, and text that looks like a credential is refused unless forced.
 */

import { AmanError, isObject } from "../../base/index.ts"
import { findCredentialIn, refuseCredential, refuseCredentialIn } from "../../text/index.ts"
import { withoutContext } from "../formats/injected.ts"
import type { EntryFields } from "../log/event.ts"
import { DEFAULTS } from "../log/fold-entry.ts"
import { canonicalId } from "../log/ids.ts"
import {
  ENTRY_KINDS,
  type EntryKind,
  type EntrySource,
  type Json,
  type NewEntry,
  type NewRelation,
  type RememberOptions,
  ROLES,
  type Role,
} from "./entry.ts"
import { tidyLabel } from "./labels.ts"
import { normaliseTags } from "./tags.ts"
import { firstMoment, parseTime, zoneIn } from "./times.ts"

/** `force`: accept text that looks like a credential. */
export type CheckOptions = Pick<RememberOptions, "force">

type CheckedRelation = NewRelation & { readonly weight: number }

/** An entry as it will be stored, except for what depends on other entries. */
export type CheckedEntry = {
  readonly fields: EntryFields
  /** Time of recording as an instant; null: now. */
  readonly recordedAt: string | null
  readonly relations: readonly CheckedRelation[]
  readonly replaces: readonly string[]
}

/**
 * The entry, checked and normalised. Throws USAGE or CREDENTIAL, naming the field; `n` is the entry's number
 * in a batch, from 1, for the message.
 */
export function checkEntry(entry: NewEntry, options: CheckOptions = {}, n?: number): CheckedEntry {
  const topic = entry.topic ?? DEFAULTS.topic
  const kind = entry.kind ?? DEFAULTS.kind
  const zone = zoneIn(entry.recordedAt ?? "")
  const fields = checkFields({ ...entry, topic, kind, ...(zone !== null && { zone }) }, options, n)
  return {
    fields: { ...DEFAULTS, ...fields } as EntryFields,
    recordedAt:
      entry.recordedAt == null
        ? null
        : firstMoment(parseTime(entry.recordedAt, prefixWithNumber("recorded_at", n))),
    relations: (entry.relations ?? []).map((relation) => checkRelation(relation, options, n)),
    replaces: [...new Set((entry.replaces ?? []).map(canonicalId))],
  }
}

/** Checks and normalises the given fields; absent fields stay absent. */
export function checkFields(
  fields: Partial<EntryFields>,
  { force = false }: CheckOptions = {},
  n?: number,
): Partial<EntryFields> {
  const checked = Object.fromEntries(
    Object.entries(fields)
      .filter(([name, value]) => value !== undefined && Object.hasOwn(CHECKS, name))
      .map(([name, value]) => [name, CHECKS[name as keyof typeof CHECKS](value as never, n)]),
  ) as Partial<EntryFields>
  const { validFrom, validUntil } = checked
  // Tags are checked before they are normalised, because a credential in lower case is not recognised.
  if (!force) refuseCredentials({ ...checked, tags: fields.tags?.map(withoutPrivate) ?? [] }, n)
  if (validFrom && validUntil && firstMoment(validFrom) >= firstMoment(validUntil))
    throw wrong(n, `valid from ${validFrom} until ${validUntil} is never valid`, "until is exclusive")
  return checked
}

/** Throws CREDENTIAL if a field contains a credential. */
function refuseCredentials(fields: Partial<EntryFields>, n: number | undefined): void {
  const { text, metadata, topic, key, tags = [] } = fields
  if (text !== undefined) refuseCredential(text, n)
  // "hunter22" is no password by itself, but it is one under the topic "password" or the key "db-password".
  if (text !== undefined && !/\s/.test(text.trim()))
    for (const name of [topic, key, ...tags]) refuseCredential(`${name}: ${text}`, n)
  if (metadata !== undefined) refuseCredentialIn(metadata, n, "the metadata")
  for (const [part, value] of Object.entries(labelsOf(fields))) refuseCredential(value, n, part)
}

/**
 * The fields beside the text, by their name in messages. They are checked for credentials, too, because they are shown,
 * shared and exported as they are.
 */
function labelsOf(fields: Partial<EntryFields>): Record<string, string> {
  const { topic = "", key, author, session, source, tags = [], entities = [] } = fields
  return {
    ...{ "the topic": topic, "the key": key ?? "", "the author": author ?? "", "the session": session ?? "" },
    "the source": source == null ? "" : `${source.path}\n${source.symbol ?? ""}`,
    ...{ "a tag": tags.join("\n"), "an entity": entities.join("\n") },
  }
}

type FieldCheck<K extends keyof EntryFields> = (value: EntryFields[K], n?: number) => EntryFields[K]

const CHECKS: { readonly [K in keyof EntryFields]-?: FieldCheck<K> } = {
  text: (text, n) => {
    if (text.trim() === "") throw wrong(n, "the text is empty", "give a text")
    const own = withoutContext(text)
    const hint = "text in <aman-context>…</aman-context> is never stored again"
    if (own.trim() === "") throw wrong(n, "all of the text is what aman gave to an agent", hint)
    const kept = withoutPrivate(own)
    if (kept.trim() !== "") return kept
    throw wrong(n, "all of the text is private", "text in <private>…</private> is never stored")
  },
  project: (project) => project || null,
  topic: (topic) => publicLabel(topic) || "general",
  kind: (kind, n) => checkChoice(kind, ENTRY_KINDS, "kind", n),
  tags: (tags) => normaliseTags(tags.map(withoutPrivate)),
  key: label,
  source: (source) => source && storableSource(source),
  author: label,
  role: (role, n) => (role === null ? null : checkChoice(role, ROLES, "role", n)),
  session: label,
  ordinal: (ordinal, n) => {
    if (ordinal !== null && !Number.isFinite(ordinal))
      throw wrong(n, "ordinal is not a number", "omit it to use the next number of the session")
    return ordinal
  },
  entities: (names) =>
    [...new Map(names.map(publicLabel).map((name) => [name.toLowerCase(), name])).values()].filter(Boolean),
  metadata: (metadata, n) => {
    if (!isObject(metadata)) throw wrong(n, "metadata is not an object", 'write {"name": value, …}')
    return publicJson(metadata) as EntryFields["metadata"]
  },
  zone: (zone) => zone,
  validFrom: (time, n) => (time === null ? null : parseTime(time, prefixWithNumber("valid_from", n))),
  validUntil: (time, n) => (time === null ? null : parseTime(time, prefixWithNumber("valid_until", n))),
}

/** The source without its lines if they contain a credential; the hash of the lines still tells whether they change. */
export function storableSource(source: EntrySource): EntrySource {
  const { context: _, ...place } = source
  const lines = [source.text, source.context]
  return findCredentialIn(lines) === null ? source : { ...place, text: null }
}

/** Checks and normalises a relation. Throws USAGE or CREDENTIAL with the reason. */
export function checkRelation(
  { from, to, type, weight = 1 }: NewRelation,
  { force = false }: CheckOptions = {},
  n?: number,
): CheckedRelation {
  const relation = { from: publicLabel(from), to: publicLabel(to), type: publicLabel(type), weight }
  if (relation.from === "" || relation.to === "" || relation.type === "")
    throw wrong(n, "a relation lacks from, to or type", 'write {"from": "A", "to": "B", "type": "uses"}')
  if (!(weight >= 0 && weight <= 1))
    throw wrong(n, `a relation's weight is ${weight}`, "a weight is between 0 and 1")
  if (!force) refuseCredential([relation.from, relation.to, relation.type].join("\n"), n, "a relation")
  return relation
}

function label(text: string | null): string | null {
  return text === null ? null : publicLabel(text) || null
}

/** The label as it is stored: tidied, without its private parts. */
export function publicLabel(text: string): string {
  return tidyLabel(withoutPrivate(text))
}

/** Max depth of nested metadata. Deeper metadata is refused, because the recursion could overflow the stack. */
const MAX_LEVELS = 100

/** The value without private parts in its strings; throws USAGE when it is nested more than MAX_LEVELS deep. */
export function publicJson(value: Json, level = 0): Json {
  if (typeof value === "string") return withoutPrivate(value)
  if (typeof value !== "object" || value === null) return value
  if (level === MAX_LEVELS) {
    const message = `metadata is nested more than ${MAX_LEVELS} deep`
    throw new AmanError("USAGE", message, { hint: "use fewer levels" })
  }
  if (Array.isArray(value)) return value.map((inner) => publicJson(inner, level + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, publicJson(inner, level + 1)]),
  )
}

function checkChoice<T extends EntryKind | Role>(value: T, all: readonly T[], name: string, n?: number): T {
  if (all.includes(value)) return value
  throw wrong(n, `${name} ${JSON.stringify(value)} is unknown`, `one of ${all.join(", ")}`)
}

function wrong(n: number | undefined, message: string, hint: string): AmanError {
  return new AmanError("USAGE", prefixWithNumber(message, n), { hint })
}

function prefixWithNumber(message: string, n: number | undefined): string {
  return n === undefined ? message : `entry ${n}: ${message}`
}

/**
 * The reason of a change, normalised; null when none is given. Throws CREDENTIAL if it looks like a credential,
 * unless `force`.
 */
export function checkReason(
  reason: string | null | undefined,
  { force = false }: CheckOptions = {},
): string | null {
  const kept = label(reason ?? null)
  if (kept !== null && !force) refuseCredential(kept)
  return kept
}

const TAG = /<\s*(\/?)\s*private(?=[\s/>])[^>]*>|<\s*private\b[^>]*$/giu

/**
 * The text without `<private>…</private>` sections, tags included. A nested section ends with the outermost
 * one; a section that is never closed reaches to the end of the text.
 */
export function withoutPrivate(text: string): string {
  let kept = ""
  let depth = 0
  let end = 0
  for (const tag of text.matchAll(TAG)) {
    const isClosing = tag[1] === "/"
    if (depth === 0) kept += text.slice(end, tag.index)
    depth = isClosing ? Math.max(0, depth - 1) : depth + 1
    end = tag.index + tag[0].length
  }
  return depth === 0 ? kept + text.slice(end) : kept
}
