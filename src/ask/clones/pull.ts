/**
 * Updates the clone of another repository. In order: create or check the clone's git folder; fetch one commit; count
 * its files and bytes against the limits before anything is checked out; check it out; remove what no commit needs any
 * more. After an exceeded limit, the clone is put back into its earlier state; a damaged clone is created again once.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { AmanError, OpenFolder, replaceFile } from "../../base/index.ts"
import { failureOf, isCommitId, isOutOfMemory, readSmallFile, runOwnGit } from "../../tree/index.ts"
import { fetchAddress, type RepositoryAddress, repositoryName } from "./address.ts"

export type Pulled = {
  /** The commit that is checked out; null if the repository has no commits. */
  readonly commit: string | null
  /** True when the work tree has changed. */
  readonly isChanged: boolean
}

export type PullOptions = {
  readonly signal?: AbortSignal | undefined
  readonly stallMs: number
  readonly limits: CloneLimits
}

/**
 * Updates the clone in `folder` to the current state of the remote, even if the remote's history was rewritten; creates
 * the clone if there is none. A run that was killed is continued. The clone contains one commit of one branch. Throws
 * REPOSITORY. If the remote exceeds a limit, an existing clone stays as it was, and a new one is removed.
 */
export async function pull(
  address: RepositoryAddress,
  folder: string,
  options: PullOptions,
): Promise<Pulled> {
  const isNew = !existsSync(folder)
  const clone = new Clone(address, folder, options)
  try {
    return await updateClone(clone, address, isNew)
  } catch (error) {
    if (clone.excess === null) throw error
    const { message, hint } = clone.excess
    const isKept = !isNew && (await clone.restore())
    if (!isKept) rmSync(folder, { recursive: true, force: true })
    throw new AmanError("REPOSITORY", `${repositoryName(address)}: ${message}`, {
      hint: isKept ? `the existing clone is kept; ${hint}` : hint,
    })
  }
}

/** The branch or tag that is fetched, null if there is none, and all branches; throws REPOSITORY if it is missing or away. */
export async function remoteBranches(
  address: RepositoryAddress,
  options: Pick<PullOptions, "signal" | "stallMs"> & { readonly maxMemoryBytes: number },
): Promise<{ readonly fetched: string | null; readonly branches: readonly string[] }> {
  const { ref } = address
  const wanted = ref === null ? ["HEAD", "refs/heads/*"] : [ref, `refs/heads/${ref}`, `refs/tags/${ref}`]
  const args = ["ls-remote", "--symref", "--", fetchAddress(address), ...wanted]
  const outcome = await runOwnGit(args, { ...options, cwd: tmpdir(), protocols: protocolsFor(address) })
  const errorOutput = outcome.ok ? "couldn't find remote ref" : outcome.message
  if (!outcome.ok || (ref !== null && outcome.stdout === ""))
    throw remoteError({ step: "ls-remote", errorOutput }, address, true)
  const head = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(outcome.stdout)?.[1] ?? null
  return { fetched: ref ?? head, branches: branchesIn(outcome.stdout) }
}

function branchesIn(listed: string): string[] {
  return Array.from(listed.matchAll(/\trefs\/heads\/(.+)$/gm), ([, name]) => name!)
}

async function updateClone(clone: Clone, address: RepositoryAddress, isNew: boolean): Promise<Pulled> {
  const outcome = await clone.update()
  if (!("failure" in outcome)) return outcome
  if (clone.excess !== null) throw remoteError(outcome.failure, address, isNew)
  if (!needsNewStart(outcome.failure)) throw remoteError(outcome.failure, address, isNew)
  // The clone is created again, once, if it is damaged or incomplete or has another hash function than the remote.
  clone.forget()
  const again = await clone.update(outcome.failure)
  if ("failure" in again) throw remoteError(again.failure, address, isNew)
  return { ...again, isChanged: true }
}

type PullOutcome = Pulled | { readonly failure: RemoteFailure }

// Turns off all attributes by which a work tree or the user's configuration could run a program or convert a file.
const NO_ATTRIBUTES = "* -filter -text -eol -crlf -ident -working-tree-encoding\n"
// git gets this setting on its command line, too. It is written down because scans read it: they skip the text files.
const LINKS_AS_TEXT = "[core]\n\tsymlinks = false\n"
// A checkout reports no progress, so it may be without output for this many times longer.
const QUIET_STEPS = 10
// Maximum number of packs. Each fetch adds one; above this number, git joins them into one.
const MAX_PACKS = 12

class Clone {
  readonly #address: RepositoryAddress
  readonly #folder: string
  readonly #options: PullOptions
  #deadline: number
  /** The state before the fetch: the packs, and the content of the file that marks where history ends. */
  #packs: ReadonlySet<string> = new Set()
  #shallow: Buffer | null = null
  /** The limit because of which git was ended; null if it was not. */
  excess: ExceededLimit | null = null

  constructor(address: RepositoryAddress, folder: string, options: PullOptions) {
    this.#address = address
    this.#folder = folder
    this.#options = options
    this.#deadline = performance.now() + options.limits.maxMs
  }

  /** Updates the clone to the state of the remote. `before` is the failure because of which the clone is created again. */
  async update(before?: RemoteFailure): Promise<PullOutcome> {
    const initialised = await this.#init(before)
    if (initialised !== null) return { failure: initialised }
    this.#packs = new Set(packsIn(this.#gitDir))
    const shallow = join(this.#gitDir, "shallow")
    this.#shallow = existsSync(shallow) ? readFileSync(shallow) : null
    const former = await this.#commit("HEAD")
    const wanted = this.#address.ref ?? "HEAD"
    const fetched = await this.#git(
      ["fetch", "--progress", "--depth=1", "--no-tags", "--no-recurse-submodules", "--update-shallow"],
      ["--", fetchAddress(this.#address), wanted],
    )
    if (typeof fetched !== "string") return this.#emptyOrFailure(fetched)
    const commit = await this.#commit("FETCH_HEAD")
    if (commit === null) return { failure: { step: "fetch", errorOutput: "FETCH_HEAD is not a commit" } }
    const counted = commit === former ? "" : await this.#count(commit)
    if (typeof counted !== "string") return { failure: counted }
    const reset = await this.#git(["reset", "--quiet", "--hard"], [commit])
    if (typeof reset !== "string") return { failure: reset }
    if (commit !== former) await this.#tidy()
    return { commit, isChanged: commit !== former }
  }

  /** Checks that the commit exceeds no limit, before any of it is checked out. */
  #count(commit: string): Promise<string | RemoteFailure> {
    const count = new TreeCount(this.#options.limits, this.#folder)
    const list: [string, ...string[]] = ["ls-tree", "-r", "-t", "-l", "-z", "--full-tree"]
    return this.#git(list, [commit], (part) => this.#exceed(count.add(part)))
  }

  #exceed(excess: ExceededLimit | null): string | null {
    this.excess ??= excess
    return excess?.message ?? null
  }

  /** Undoes an update that exceeded a limit. Returns false if no commit was checked out before it. */
  async restore(): Promise<boolean> {
    this.#deadline = Number.POSITIVE_INFINITY
    // This throws if a link was put on the path to the clone.
    OpenFolder.open(this.#gitDir)?.[Symbol.dispose]()
    for (const path of leftBehind(this.#gitDir)) rmSync(path, { force: true })
    rmSync(join(this.#gitDir, "FETCH_HEAD"), { force: true })
    for (const path of packsIn(this.#gitDir)) if (!this.#packs.has(path)) rmSync(path, { force: true })
    const shallow = join(this.#gitDir, "shallow")
    if (this.#shallow === null) rmSync(shallow, { force: true })
    else replaceFile(shallow, this.#shallow)
    if ((await this.#commit("HEAD")) === null) return false
    // The time limit may have ended git in the middle of a checkout.
    const reset = await this.#git(["reset", "--quiet", "--hard"], ["HEAD"])
    if (typeof reset === "string") await this.#git(["clean", "--quiet", "-ffdx"], [])
    return typeof reset === "string"
  }

  /** Removes the data of git. The files of the work tree stay until others replace them. */
  forget(): void {
    using folder = OpenFolder.open(this.#folder)
    if (folder !== null) rmSync(join(folder.at, ".git"), { recursive: true, force: true })
  }

  get #gitDir(): string {
    return join(this.#folder, ".git")
  }

  async #init(before: RemoteFailure | undefined): Promise<RemoteFailure | null> {
    using folder = OpenFolder.open(this.#folder, { make: 0o700 })
    const gitDir = join(folder.at, ".git")
    if (!existsSync(join(gitDir, "HEAD"))) {
      const format = before?.errorOutput.includes("server sha256") ? ["--object-format=sha256"] : []
      const made = await this.#git(["init", "--quiet", "--template=", ...format], ["."])
      if (typeof made !== "string") return made
    }
    for (const path of leftBehind(gitDir)) rmSync(path, { force: true })
    mkdirSync(join(gitDir, "info"), { recursive: true })
    replaceFile(join(gitDir, "info", "attributes"), NO_ATTRIBUTES)
    const configFile = join(gitDir, "config")
    const config = readSmallFile(configFile) ?? ""
    if (!config.endsWith(LINKS_AS_TEXT)) replaceFile(configFile, config + LINKS_AS_TEXT)
    return null
  }

  /**
   * Called after a fetch failed. A repository without commits is no failure; a repository whose HEAD refers to a
   * missing branch is one.
   */
  async #emptyOrFailure(failure: RemoteFailure): Promise<PullOutcome> {
    if (this.#address.ref !== null || !/couldn't find remote ref HEAD/i.test(failure.errorOutput))
      return { failure }
    const listed = await this.#git(["ls-remote", "--heads"], ["--", fetchAddress(this.#address)])
    if (typeof listed !== "string") return { failure: listed }
    const branches = branchesIn(listed)
    if (branches.length > 0) return { failure: { ...failure, branches } }
    const former = await this.#commit("HEAD")
    if (former === null) return { commit: null, isChanged: false }
    using parent = OpenFolder.open(dirname(this.#folder), { make: 0o700 })
    const folder = join(parent.at, basename(this.#folder))
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { mode: 0o700 })
    return { commit: null, isChanged: true }
  }

  async #commit(name: string): Promise<string | null> {
    const found = await this.#git(["rev-parse", "--verify", "--quiet"], [`${name}^{commit}`])
    const id = typeof found === "string" ? found.trim() : ""
    return isCommitId(id) ? id : null
  }

  /** Removes files and objects that no commit needs any more. If this fails, the failure is ignored. */
  async #tidy(): Promise<void> {
    await this.#git(["clean", "--quiet", "-ffdx"], [])
    const count = packsIn(this.#gitDir).filter((path) => path.endsWith(".pack")).length
    if (count > MAX_PACKS) await this.#git(["gc", "--quiet", "--prune=now"], [])
  }

  async #git(
    command: readonly [string, ...string[]],
    rest: readonly string[],
    onOutput?: (part: Uint8Array) => string | null,
  ): Promise<string | RemoteFailure> {
    const [step] = command
    const { signal, stallMs, limits } = this.#options
    const isRemote = step === "fetch" || step === "ls-remote"
    // The folders are passed explicitly. Otherwise, if the clone is missing or damaged, git would use a repository in a
    // parent folder, such as the home folder.
    const place = step === "init" ? [] : [`--git-dir=${this.#gitDir}`, `--work-tree=${this.#folder}`]
    const before = step === "fetch" ? packedBytes(this.#gitDir) : 0
    const watch = () => {
      if (performance.now() > this.#deadline) return this.#exceed(timeExceeded(limits.maxMs))
      const isOver = step === "fetch" && packedBytes(this.#gitDir) - before > limits.maxBytes
      return isOver ? this.#exceed(sizeExceeded("one fetch brought", limits.maxBytes)) : null
    }
    const outcome = await runOwnGit([...place, ...command, ...rest], {
      cwd: this.#folder,
      maxMemoryBytes: limits.maxMemoryBytes,
      protocols: isRemote ? protocolsFor(this.#address) : [],
      signal,
      stallMs: isRemote ? stallMs : stallMs * QUIET_STEPS,
      watch,
      ...(onOutput && { onOutput }),
    })
    if (outcome.ok) return outcome.stdout
    if (signal?.aborted) throw new AmanError("INTERRUPTED", "interrupted while a repository was fetched")
    if (outcome.reason === "missing") {
      throw new AmanError("REPOSITORY", "git is not installed", {
        hint: "install git; aman needs it to clone",
      })
    }
    if (isOutOfMemory(outcome.message)) this.#exceed(outOfMemory(limits.maxMemoryBytes))
    return { step, errorOutput: outcome.message, shownOutput: failureOf(outcome.message) }
  }
}

/** The protocol of the address, and the protocols to which a user's "url.….insteadOf" probably changes it. */
function protocolsFor({ kind }: RepositoryAddress): string[] {
  return [...new Set([kind === "scp" ? "ssh" : kind, "https", "ssh"])]
}

function packsIn(gitDir: string): string[] {
  const folder = join(gitDir, "objects", "pack")
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

/**
 * Files that git leaves when it is killed: locks, and partially received packs. They can be removed, because only the
 * leader works in a clone.
 */
function leftBehind(gitDir: string): string[] {
  const packs = join("objects", "pack")
  const heads = join("refs", "heads")
  return ["", heads, packs].flatMap((folder) => {
    const path = join(gitDir, folder)
    const names = existsSync(path) ? readdirSync(path) : []
    return names.filter((name) => /\.lock$|^tmp_/.test(name)).map((name) => join(path, name))
  })
}

/** How a git command failed. */
type RemoteFailure = {
  readonly step: string
  /** The complete error output of git. */
  readonly errorOutput: string
  /** The error output in the form that is shown to users. */
  readonly shownOutput?: string
  /** The branches that exist, if the requested one does not. */
  readonly branches?: readonly string[]
}

const DAMAGED =
  /not a git repository|bad object|corrupt|loose object|index file|bad index|bad config .*\/\.git\/config|packfile|pack has|shallow file|\.lock'|unresolved deltas|missing (?:blob|tree|commit)|mismatched algorithms|unable to (?:read|write|create)|dubious ownership in repository at '[^']*\/\.git'/i

/** True when the clone itself is damaged, so that the remote is not the cause of the failure. */
function needsNewStart({ step, errorOutput }: RemoteFailure): boolean {
  if (/No space left|Disk quota/i.test(errorOutput)) return false
  return step !== "ls-remote" && (step === "reset" || DAMAGED.test(errorOutput))
}

type FailureHint = readonly [pattern: RegExp, hint: (name: string, isNew: boolean) => string]

const HINTS: readonly FailureHint[] = [
  [/Host key verification failed/i, () => "connect once with ssh to that host and confirm its key"],
  [
    /Permission denied|terminal prompts disabled|could not read (?:Username|Password)|Authentication failed|askpass/i,
    () =>
      "make `git ls-remote` work for that address without a prompt: use ssh-agent or git's credential helper",
  ],
  [/Could not resolve host/i, () => "check the host name and the network; the next sync tries again"],
  [
    /not found|does not appear to be a git repository|not exported|does not exist|no such file/i,
    (name, isNew) =>
      isNew
        ? "check the address"
        : `check the address; if the repository was deleted, run: aman repos remove ${name}`,
  ],
  [/couldn't find remote ref/i, () => "check the branch or tag after # in the address"],
  [
    /dubious ownership/i,
    () => "the repository belongs to another user: git config --global --add safe.directory FOLDER",
  ],
  [
    /transport '.*' not allowed/i,
    () => "your git configuration (url.….insteadOf) leads to a transport that aman does not allow",
  ],
  [/No space left|Disk quota/i, () => "free disk space, or set AMAN_DATA_DIR to a folder with more"],
]

/** Creates the error for a repository. `isNew`: there was no clone of it before. */
function remoteError(
  { errorOutput, shownOutput, branches }: RemoteFailure,
  address: RepositoryAddress,
  isNew = false,
): AmanError {
  const name = repositoryName(address)
  if (branches !== undefined) {
    return new AmanError("REPOSITORY", `${name}: its HEAD refers to a branch that does not exist`, {
      hint: `name one after #: ${branches.slice(0, 8).join(", ")}`,
    })
  }
  const hint = HINTS.find(([pattern]) => pattern.test(errorOutput))?.[1](name, isNew)
  const why = shownOutput || failureOf(errorOutput) || errorOutput
  return new AmanError("REPOSITORY", `${name}: ${why}`, {
    hint: hint ?? "the next sync tries again; to try now: aman repos sync",
  })
}

/** Limits for one repository. They are needed because the remote decides how large it is. */
export type CloneLimits = {
  /** Maximum number of files in a commit; also the maximum number of folders. */
  readonly maxFiles: number
  /** Maximum total size in bytes of the repository's files; also the maximum size of one fetch. */
  readonly maxBytes: number
  /** Time limit in ms for one fetch with its checkout. */
  readonly maxMs: number
  /** Maximum memory in bytes of each git process; Linux only. */
  readonly maxMemoryBytes: number
}

/** A limit that was exceeded: a message for users, and what to do about it. */
export type ExceededLimit = { readonly message: string; readonly hint: string }

/** Maximum length of a name in bytes. Some systems cannot create longer names, and a checkout would stop half-way. */
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES: Partial<Record<NodeJS.Platform, number>> = { darwin: 1_016, win32: 32_000 }

/**
 * Adds up the output of `git ls-tree -r -t -l -z` while it arrives. So a commit of a few kilobytes that repeats folders
 * is detected before its millions of files are written.
 */
export class TreeCount {
  readonly #limits: CloneLimits
  readonly #maxPathBytes: number
  #rest = ""
  #files = 0
  #folders = 0
  #bytes = 0

  /** `folder` is the folder into which the commit will be checked out. */
  constructor(limits: CloneLimits, folder: string, platform: NodeJS.Platform = process.platform) {
    this.#limits = limits
    const maxBytes = MAX_PATH_BYTES[platform] ?? 4_000
    this.#maxPathBytes = maxBytes - Buffer.byteLength(folder) - 1
  }

  /** Adds a part of the output. Returns the first limit that the entries so far exceed; null if they exceed none. */
  add(part: Uint8Array): ExceededLimit | null {
    const entries = (this.#rest + Buffer.from(part).toString("latin1")).split("\0")
    this.#rest = entries.pop()!
    for (const entry of entries) {
      const excess = this.#addEntry(entry)
      if (excess !== null) return excess
    }
    // The part of a path that has arrived is already too long.
    return this.#rest.length > 2 * this.#maxPathBytes ? pathTooLong() : null
  }

  #addEntry(entry: string): ExceededLimit | null {
    const [about = "", path = ""] = entry.split("\t", 2)
    const [, type, , size] = about.split(/ +/)
    if (type === "tree") this.#folders++
    else this.#files++
    this.#bytes += Number(size) || 0
    const { maxFiles, maxBytes } = this.#limits
    if (this.#files > maxFiles) return tooMany("files", maxFiles)
    if (this.#folders > maxFiles) return tooMany("folders", maxFiles)
    if (this.#bytes > maxBytes) return sizeExceeded("its files have", maxBytes)
    const isLong =
      path.length > this.#maxPathBytes || path.split("/").some((name) => name.length > MAX_NAME_BYTES)
    return isLong ? pathTooLong() : null
  }
}

/**
 * Total size in bytes of the files in the folder of packs below a git folder, including packs that are only partially
 * received.
 */
export function packedBytes(gitDir: string): number {
  const folder = join(gitDir, "objects", "pack")
  // A file may be deleted or renamed while git runs.
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return entryNames(folder).reduce((sum, name) => sum + sizeOf(name), 0)
}

export function sizeExceeded(what: string, maxBytes: number): ExceededLimit {
  return {
    message: `${what} more than ${maxBytes} bytes`,
    hint: "to clone it anyway, raise repos.max_size",
  }
}

export function timeExceeded(maxMs: number): ExceededLimit {
  return {
    message: `its fetch took longer than ${Math.round(maxMs / 1000)} s`,
    hint: "if you trust its remote, raise repos.max_time",
  }
}

export function outOfMemory(maxMemoryBytes: number): ExceededLimit {
  return {
    message: `git needed more than ${maxMemoryBytes} bytes of memory for it`,
    hint: "if you trust its remote, raise repos.max_size, of which git gets a quarter as memory",
  }
}

function tooMany(what: "files" | "folders", maxFiles: number): ExceededLimit {
  return {
    message: `it has more than ${maxFiles} ${what}`,
    hint: "to clone it anyway, raise repos.max_files",
  }
}

function pathTooLong(): ExceededLimit {
  return {
    message: "it contains a path that is too long for this system",
    hint: "add a branch or tag without that path: #branch after the address",
  }
}

function entryNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
