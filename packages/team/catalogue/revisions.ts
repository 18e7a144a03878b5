/*
 * Published revisions in the catalogue. A worker uploads blobs (`Upload`) and publishes a revision in one
 * transaction; `collectGarbage` removes superseded revisions and unused blobs; the rest are queries of nodes, which
 * return only what a principal may read.
 */

import { generateKeyPairSync } from "node:crypto"
import { blobsIn, type RevisionFacts, type RevisionManifest } from "../../../src/ask/index.ts"
import type { BlobStore } from "../blobs/blob-store.ts"
import { type Catalogue, CHANNEL, type Statements } from "./catalogue.ts"
import { endJob, holdsJob, type IndexJob } from "./repositories.ts"

export type PublishedRevision = {
  readonly repositoryId: string
  readonly revisionId: string
  readonly name: string
  readonly url: string
  readonly commit: string
  /** Hash of the manifest's blob. */
  readonly manifest: string
  readonly indexVersion: number
  readonly files: number
  readonly bytes: number
  readonly publishedAt: string
  /** Error of the last attempt to update it; null if that succeeded. */
  readonly error: string | null
  /** True for a branch that a pattern of its repository has brought. */
  readonly isBranch: boolean
}

/** Seconds for which superseded revisions are kept, for nodes that still answer from them. */
const KEPT_S = 600
/** Seconds for which a blob without a revision is kept, because it may belong to an upload in progress. */
const UPLOAD_S = 6 * 3600
/** Max number of blobs that one transaction removes. */
const REMOVED_AT_ONCE = 64

/**
 * Uploads the blobs of one revision. A blob that is stored already gets a new date instead, so that `collectGarbage`
 * does not delete it.
 */
export class Upload {
  readonly #catalogue: Catalogue
  readonly #store: BlobStore
  /** Sizes in bytes of this upload's blobs, by hash. */
  readonly #sizes = new Map<string, number>()
  /** Number of blobs that were not stored before this upload. */
  stored = 0

  constructor(catalogue: Catalogue, store: BlobStore) {
    this.#catalogue = catalogue
    this.#store = store
  }

  /** Total size of this upload's blobs, including those that were already stored. */
  get bytes(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0)
  }

  async keep(hash: string, bytes: Uint8Array): Promise<void> {
    if (this.#sizes.has(hash)) return
    this.#sizes.set(hash, bytes.length)
    const key = Buffer.from(hash, "hex")
    const touched = await this.#catalogue.run(
      (sql) => sql`UPDATE aman.blobs SET stored_at = now() WHERE hash = ${key} RETURNING 1`,
    )
    if (touched.length > 0) return
    await this.#catalogue.transaction(async (sql) => {
      await lockBlob(sql, key)
      // The blob's row is written after its bytes, because the row marks the bytes as complete.
      await this.#store.put(hash, bytes)
      await sql`INSERT INTO aman.blobs (hash, size) VALUES (${key}, ${bytes.length}) ON CONFLICT DO NOTHING`
    })
    this.stored++
  }
}

/**
 * Publishes a revision and ends the job in one transaction; false if another worker has taken the job over. All blobs
 * must be stored before.
 */
export async function publish(
  catalogue: Catalogue,
  job: IndexJob,
  revision: {
    readonly commit: string
    readonly manifest: RevisionManifest
    /** Hash of the manifest's blob. */
    readonly manifestHash: string
    readonly indexVersion: number
    /** Settings that shaped the index (IndexState.shape). */
    readonly shape: string
    /** The revision's terms as a Bloom filter; see `termFilter`. */
    readonly terms: Uint8Array
    readonly files: number
    readonly chunks: number
    readonly bytes: number
    readonly worker: string
  },
): Promise<boolean> {
  const { commit, manifest, manifestHash, indexVersion, shape, terms, files, chunks, bytes, worker } =
    revision
  const key = Buffer.from(manifestHash, "hex")
  const blobs = [key, ...blobsIn(manifest).map((hash) => Buffer.from(hash, "hex"))]
  return catalogue.transaction(async (sql) => {
    if (!(await holdsJob(sql, job))) return false
    const [{ id }] = await sql`
      INSERT INTO aman.revisions
        (repository_id, commit_id, manifest, index_version, shape, terms, files, chunks, bytes, worker)
      VALUES (${job.repositoryId}, ${commit}, ${key}, ${indexVersion}, ${shape}, ${Buffer.from(terms)}, ${files},
        ${chunks}, ${bytes}, ${worker})
      RETURNING id`
    await sql`
      INSERT INTO aman.revision_blobs SELECT ${id}, unnest(${sql.array(blobs, "BYTEA")})`
    await sql`
      UPDATE aman.revisions SET superseded_at = now()
      WHERE repository_id = ${job.repositoryId} AND id <> ${id} AND superseded_at IS NULL`
    await sql`UPDATE aman.repositories SET revision_id = ${id} WHERE id = ${job.repositoryId}`
    await endJob(sql, job)
    await sql`SELECT pg_notify(${CHANNEL.revision}, ${job.repositoryId})`
    return true
  })
}

/** True if the repository's published revision is of this commit and this version of the index. */
export async function isPublished(
  catalogue: Catalogue,
  { revisionId }: IndexJob,
  commit: string,
  indexVersion: number,
): Promise<boolean> {
  const rows = await catalogue.run(
    (sql) => sql`
      SELECT 1 FROM aman.revisions
      WHERE id = ${revisionId} AND commit_id = ${commit} AND index_version = ${indexVersion}`,
  )
  return rows.length > 0
}

/**
 * The manifest of an index that an empty one may start from: that of the job's repository, unless `ofParent`, else of the
 * repository whose branch it is; null if there is none of this version.
 */
export async function baseRevision(
  catalogue: Catalogue,
  { repositoryId }: IndexJob,
  indexVersion: number,
  ofParent = false,
): Promise<{ readonly manifest: string; readonly commit: string; readonly shape: string } | null> {
  const [row] = await catalogue.run(
    (sql) => sql<(Pick<RevisionRow, "manifest" | "commit_id"> & { shape: string })[]>`
      SELECT v.manifest, v.commit_id, v.shape FROM aman.repositories r
      JOIN aman.repositories base ON base.id = r.parent_id OR base.id = r.id AND NOT ${ofParent}
      JOIN aman.revisions v ON v.id = base.revision_id
      WHERE r.id = ${repositoryId} AND v.index_version = ${indexVersion} ORDER BY base.id = r.id DESC LIMIT 1`,
  )
  return row === undefined
    ? null
    : { manifest: row.manifest.toString("hex"), commit: row.commit_id, shape: row.shape }
}

/** Deletes superseded revisions and blobs that no node and no upload needs any more; returns the number of blobs. */
export async function collectGarbage(catalogue: Catalogue, store: BlobStore): Promise<number> {
  const gone = await catalogue.transaction(async (sql) => {
    await sql`DELETE FROM aman.revisions WHERE superseded_at < now() - make_interval(secs => ${KEPT_S})`
    return sql`
      DELETE FROM aman.blobs b WHERE stored_at < now() - make_interval(secs => ${UPLOAD_S})
        AND NOT EXISTS (SELECT 1 FROM aman.revision_blobs v WHERE v.hash = b.hash) RETURNING hash`
  })
  const hashes = gone.map(({ hash }: { hash: Buffer }) => hash)
  for (let at = 0; at < hashes.length && store.remove !== null; at += REMOVED_AT_ONCE) {
    await removeBytes(catalogue, store.remove, hashes.slice(at, at + REMOVED_AT_ONCE))
  }
  return gone.length
}

/** Removes the bytes of blobs that have no row, and leaves those that have been uploaded again. */
async function removeBytes(
  catalogue: Catalogue,
  remove: NonNullable<BlobStore["remove"]>,
  hashes: readonly Buffer[],
): Promise<void> {
  await catalogue.transaction(async (sql) => {
    for (const hash of hashes) await lockBlob(sql, hash)
    const kept = await sql<{ hash: Buffer }[]>`
      SELECT hash FROM aman.blobs WHERE hash = ANY(${sql.array([...hashes], "BYTEA")})`
    await remove(hashes.filter((hash) => !kept.some((each) => hash.equals(each.hash))).map(hex))
  })
}

function hex(hash: Buffer): string {
  return hash.toString("hex")
}

/**
 * Takes an advisory lock for the blob's hash until the transaction ends, so that the blob is not removed while it is
 * uploaded again.
 */
async function lockBlob(sql: Statements, hash: Buffer): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${hash.readBigInt64BE().toString()}::bigint)`
}

/** The published revisions of the repositories that a principal may read, sorted by name. */
export async function readable(catalogue: Catalogue, principalId: string): Promise<PublishedRevision[]> {
  const rows = await catalogue.run(
    (sql) => sql`
      SELECT r.id, r.name, r.url, r.error, r.parent_id IS NOT NULL AS is_branch, v.id AS revision_id, v.commit_id, v.manifest, v.index_version, v.files,
        v.bytes, v.published_at
      FROM aman.repositories r JOIN aman.revisions v ON v.id = r.revision_id
      WHERE ${mayRead(sql, principalId)} ORDER BY r.name`,
  )
  return rows.map((row: RevisionRow) => ({
    repositoryId: row.id,
    revisionId: row.revision_id,
    name: row.name,
    url: row.url,
    commit: row.commit_id,
    manifest: row.manifest.toString("hex"),
    indexVersion: row.index_version,
    files: row.files,
    bytes: Number(row.bytes),
    publishedAt: row.published_at.toISOString(),
    error: row.error,
    isBranch: row.is_branch,
  }))
}

/** Term filters and numbers of chunks of revisions; those without a filter are left out. */
export async function termFilters(
  catalogue: Catalogue,
  revisionIds: readonly string[],
): Promise<{ readonly id: string; readonly terms: Uint8Array; readonly chunks: number }[]> {
  return catalogue.run(
    (sql) => sql`
      SELECT id, terms, chunks FROM aman.revisions
      WHERE id = ANY(${sql.array([...revisionIds], "BIGINT")}) AND terms IS NOT NULL`,
  )
}

/** The newest revisions of a repository and of its branches that a principal may read, newest first. */
export async function revisionsOf(
  catalogue: Catalogue,
  principalId: string,
  repository: string,
): Promise<RevisionFacts[]> {
  const rows = await catalogue.run(
    (sql) => sql`
      SELECT v.commit_id, v.manifest, v.index_version, v.shape
      FROM aman.repositories r JOIN aman.revisions v ON v.repository_id = r.id
      WHERE split_part(r.name, '#', 1) = ${repository} AND v.shape <> '' AND ${mayRead(sql, principalId)}
      ORDER BY v.id DESC LIMIT 50`,
  )
  return rows.map(
    (row: Pick<RevisionRow, "commit_id" | "manifest" | "index_version"> & { shape: string }) => ({
      ...{ repository, commit: row.commit_id, manifest: row.manifest.toString("hex") },
      ...{ index_version: row.index_version, shape: row.shape },
    }),
  )
}

/** True if there is a repository of this name, or a branch of it, that a principal may not read. */
export async function isHidden(
  catalogue: Catalogue,
  principalId: string,
  repository: string,
): Promise<boolean> {
  const rows = await catalogue.run(
    (sql) => sql`
      SELECT 1 FROM aman.repositories r
      WHERE split_part(r.name, '#', 1) = ${repository} AND NOT ${mayRead(sql, principalId)} LIMIT 1`,
  )
  return rows.length > 0
}

/** True if the blob belongs to a revision of a repository that a principal may read. */
export async function mayReadBlob(catalogue: Catalogue, principalId: string, hash: string): Promise<boolean> {
  const rows = await catalogue.run(
    (sql) => sql`
      SELECT 1 FROM aman.revision_blobs b JOIN aman.revisions v ON v.id = b.revision_id
      JOIN aman.repositories r ON r.id = v.repository_id
      WHERE b.hash = ${Buffer.from(hash, "hex")} AND ${mayRead(sql, principalId)} LIMIT 1`,
  )
  return rows.length > 0
}

/** A repository that has no published revision yet. */
export type WaitingRepository = {
  readonly name: string
  /** Error of the last try; null if there was none or it succeeded. */
  readonly error: string | null
  /** True while a worker has its job. */
  readonly isIndexed: boolean
  /** Share of the files that the worker has read; null before it reads them. */
  readonly progress: number | null
  /** Seconds for which no worker has taken a job, although one is due; 0 while one works. */
  readonly idleS: number
}

/**
 * The repositories that a principal may read and that have no published revision yet, in the order in which they are
 * indexed. `branches`: also those that a pattern has brought.
 */
export async function unpublished(
  catalogue: Catalogue,
  principalId: string,
  branches: boolean,
): Promise<WaitingRepository[]> {
  const rows = await catalogue.run(
    (sql) => sql`
      SELECT r.name, r.error, coalesce(j.lease_until > now(), false) AS is_indexed, j.progress,
        CASE WHEN j.due_at > now() OR EXISTS (SELECT 1 FROM aman.jobs WHERE lease_until > now()) THEN 0
          ELSE extract(epoch FROM now() - j.due_at)::int END AS idle_s
      FROM aman.repositories r LEFT JOIN aman.jobs j ON j.repository_id = r.id
      WHERE r.revision_id IS NULL AND ${mayRead(sql, principalId)} AND (r.parent_id IS NULL OR ${branches})
      ORDER BY is_indexed DESC, j.wanted_at, r.name`,
  )
  return rows.map((row: WaitingRow) => ({
    ...{ name: row.name, error: row.error, isIndexed: row.is_indexed },
    ...{ progress: row.is_indexed ? row.progress : null, idleS: row.idle_s ?? 0 },
  }))
}

type WaitingRow = Pick<WaitingRepository, "name" | "error" | "progress"> & {
  readonly is_indexed: boolean
  readonly idle_s: number | null
}

function mayRead(sql: Statements, principalId: string) {
  return sql`EXISTS (
    SELECT 1 FROM aman.grants g JOIN aman.members m ON m.team_id = g.team_id
    WHERE g.repository_id = coalesce(r.parent_id, r.id) AND m.principal_id = ${principalId})`
}

type RevisionRow = {
  readonly id: string
  readonly is_branch: boolean
  readonly revision_id: string
  readonly name: string
  readonly url: string
  readonly error: string | null
  readonly commit_id: string
  readonly manifest: Buffer
  readonly index_version: number
  readonly files: number
  readonly bytes: string
  readonly published_at: Date
}

/**
 * The private key with which the team's server signs offered revisions (Ed25519; PKCS #8, DER). All nodes share it.
 * It is created when it is first needed.
 */
export async function signingKey(catalogue: Catalogue): Promise<Buffer> {
  const read = (sql: Statements) => sql<{ private_key: Buffer }[]>`SELECT private_key FROM aman.signing_key`
  const [known] = await catalogue.run(read)
  if (known !== undefined) return known.private_key
  const { privateKey } = generateKeyPairSync("ed25519")
  const made = privateKey.export({ format: "der", type: "pkcs8" })
  const [row] = await catalogue.transaction(async (sql) => {
    await sql`INSERT INTO aman.signing_key (private_key) VALUES (${made}) ON CONFLICT DO NOTHING`
    return read(sql)
  })
  return row!.private_key
}
