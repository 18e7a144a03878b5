import { closeSync, openSync, renameSync, writeSync } from "node:fs"
import { basename, join } from "node:path"
import { AmanError, type HandDown, messageOf } from "../../base/index.ts"
import {
  changedKey,
  INDEX_VERSION,
  type Indexer,
  type IndexOptions,
  indexPath,
  isLoggedIn,
  isSameShape,
  type Project,
  type RevisionOffer,
  TeamClient,
  type TeamLogin,
  teamLogin,
  teamNameOf,
} from "../../index/index.ts"
import { repositoryOf } from "../../memory/index.ts"
import { headCommit, isCommitId, runGit, type WorkTree } from "../../tree/index.ts"
import { type BlobSource, contentReader, getBlob, isSigned, layOutFile, parseManifest } from "./revision.ts"

/** Time limit of a request in ms. A blob has at most half a megabyte. */
const TIMEOUT_MS = 15_000

const GIT_LIMITS = { timeoutMs: 5000, maxBytes: 4096 }
/** Position of `application_id` in the header of an SQLite database: 32 bits, big endian. */
const ID_AT = 68

const NOTHING: HandDown = { from: null, notice: null }

/** Fills an empty index from the team's server; undefined if the user is not logged in to one. */
export function handDownIfLoggedIn(): IndexOptions["handDown"] {
  return isLoggedIn() ? handDown : undefined
}

/**
 * Takes the index of the nearest commit from the team's server, if the server knows the repository and its key is that
 * of the login. A fault of the server is not thrown: the reason is returned, and the index stays empty.
 */
async function handDown(project: Project, indexer: Indexer, signal?: AbortSignal): Promise<HandDown> {
  const repository = repositoryOf(project.root)
  // A revision covers a whole repository, so a project in a subfolder of a repository cannot use it.
  if (repository === null || repository.way !== "") return NOTHING
  const { workTree } = repository
  const name = teamNameOf(workTree)
  if (name === null) return NOTHING
  try {
    const login = teamLogin()
    const client = new TeamClient(login, TIMEOUT_MS)
    if ((await client.repositoriesNamed(name)).length === 0) return NOTHING
    const offers = await client.revisions(name)
    const usable = offers.filter((offer) => isUsable(offer, name, project))
    if (usable.length === 0)
      return offers.length === 0 ? NOTHING : notTaken("it was made with other settings")
    const offer = await nearestOffer(workTree, usable)
    await checkSignature(login, client, offer)
    project.close()
    const source: BlobSource = {
      get: (hash) => {
        signal?.throwIfAborted()
        return client.blob(hash)
      },
    }
    await indexer.adopt((folder, id) => fetchIndex(source, offer.manifest, folder, id))
    return { from: { server: login.url, commit: offer.commit }, notice: null }
  } catch (error) {
    return notTaken(messageOf(error))
  }
}

function notTaken(reason: string): HandDown {
  return { from: null, notice: `no index was taken from the team's server: ${reason}` }
}

function isUsable(offer: RevisionOffer, name: string, { config }: Project): boolean {
  return (
    offer.repository === name &&
    offer.index_version === INDEX_VERSION &&
    isCommitId(offer.commit) &&
    isSameShape(offer.shape, config)
  )
}

async function checkSignature(
  { url, key }: TeamLogin,
  client: TeamClient,
  offer: RevisionOffer,
): Promise<void> {
  if (key === undefined)
    throw new AmanError("TEAM", "its signing key is unknown; log in again, or set AMAN_TEAM_KEY")
  if (isSigned(offer, key)) return
  const now = (await client.status()).key
  throw now === key ? new AmanError("TEAM", "the signature is wrong") : changedKey(url, key, now)
}

/** The offered commit with the fewest commits between it and the one that is checked out; among equals, the newest. */
async function nearestOffer(workTree: WorkTree, offers: readonly RevisionOffer[]): Promise<RevisionOffer> {
  const head = headCommit(workTree)
  const same = offers.find(({ commit }) => commit === head)
  if (same !== undefined) return same
  const distances = await Promise.all(offers.map(({ commit }) => distanceTo(workTree, commit)))
  return offers[distances.indexOf(Math.min(...distances))]!
}

/** Number of commits that only HEAD or only `commit` contains; infinite for a commit that this clone lacks. */
async function distanceTo({ top }: WorkTree, commit: string): Promise<number> {
  const counted = await runGit(["rev-list", "--count", `${commit}...HEAD`, "--"], { cwd: top, ...GIT_LIMITS })
  return counted.ok ? Number(counted.stdout) : Number.POSITIVE_INFINITY
}

/**
 * Writes the files of a manifest's index into the folder. The database gets its name last, so that an index is complete or
 * missing.
 */
export async function fetchIndex(source: BlobSource, manifest: string, folder: string, id: number) {
  const parts = parseManifest(await getBlob(source, manifest))
  const read = contentReader(source, parts)
  const database = parts.index.find(({ name }) => name === basename(indexPath(folder)))
  if (database === undefined) throw new AmanError("TEAM", "the offered index is malformed")
  for (const file of parts.index) if (file !== database) await layOutFile(read, file, join(folder, file.name))
  const unnamed = `${indexPath(folder)}-new`
  await layOutFile(read, database, unnamed)
  const header = Buffer.alloc(4)
  header.writeUInt32BE(id)
  const opened = openSync(unnamed, "r+")
  try {
    writeSync(opened, header, 0, header.length, ID_AT)
  } finally {
    closeSync(opened)
  }
  renameSync(unnamed, indexPath(folder))
}
