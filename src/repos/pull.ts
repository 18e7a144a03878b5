import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { failureOf } from "../git/git-failure.ts"
import { isCommitId } from "../git/run.ts"
import { runOwnGit } from "../git/run-own.ts"
import { type Address, fetchAddress } from "./address.ts"
import { explain, needsNewStart, type RemoteFailure } from "./explain-failure.ts"

export type Pulled = {
  /** What is checked out; null where the repository has no commits. */
  readonly commit: string | null
  /** The work tree is not what it was. */
  readonly isChanged: boolean
}

export type PullOptions = {
  readonly signal?: AbortSignal | undefined
  readonly stallMs: number
}

/**
 * Brings the clone in `folder` to what the remote has now, whatever became of its history, and makes it first where
 * there is none; what a killed run left is gone on with. One commit deep, one branch. Throws REPOSITORY.
 */
export async function pull(address: Address, folder: string, options: PullOptions): Promise<Pulled> {
  const isNew = !existsSync(folder)
  const clone = new Clone(address, folder, options)
  const outcome = await clone.update()
  if (!("failure" in outcome)) return outcome
  if (!needsNewStart(outcome.failure)) throw explain(outcome.failure, address, isNew)
  // What is damaged, half written or of another hash than the remote's is made anew, once.
  clone.forget()
  const again = await clone.update(outcome.failure)
  if ("failure" in again) throw explain(again.failure, address, isNew)
  return { ...again, isChanged: true }
}

type Outcome = Pulled | { readonly failure: RemoteFailure }

// Wherever the user's own configuration or a work tree's attributes would have something run or converted, no.
const NO_ATTRIBUTES = "* -filter -text -eol -crlf -ident -working-tree-encoding\n"
// A checkout tells nothing of how far it is.
const QUIET_STEPS = 10
// Each fetch leaves a pack or some objects behind.
const MOST_PACKS = 12

class Clone {
  readonly #address: Address
  readonly #folder: string
  readonly #options: PullOptions

  constructor(address: Address, folder: string, options: PullOptions) {
    this.#address = address
    this.#folder = folder
    this.#options = options
  }

  /** `before`: what made a new start necessary. */
  async update(before?: RemoteFailure): Promise<Outcome> {
    const initialised = await this.#init(before)
    if (initialised !== null) return { failure: initialised }
    const former = await this.#commit("HEAD")
    const wanted = this.#address.ref ?? "HEAD"
    const fetched = await this.#git(
      ["fetch", "--progress", "--depth=1", "--no-tags", "--no-recurse-submodules", "--update-shallow"],
      ["--", fetchAddress(this.#address), wanted],
    )
    if (typeof fetched !== "string") return this.#isEmpty(fetched)
    const commit = await this.#commit("FETCH_HEAD")
    if (commit === null) return { failure: { step: "fetch", told: "FETCH_HEAD is no commit" } }
    const reset = await this.#git(["reset", "--quiet", "--hard"], [commit])
    if (typeof reset !== "string") return { failure: reset }
    if (commit !== former) await this.#tidy()
    return { commit, isChanged: commit !== former }
  }

  /** All that git knows of it; the files stay until others take their place. */
  forget(): void {
    rmSync(this.#gitDir, { recursive: true, force: true })
  }

  get #gitDir(): string {
    return join(this.#folder, ".git")
  }

  async #init(before: RemoteFailure | undefined): Promise<RemoteFailure | null> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    if (!existsSync(join(this.#gitDir, "HEAD"))) {
      const format = before?.told.includes("server sha256") ? ["--object-format=sha256"] : []
      const made = await this.#git(["init", "--quiet", "--template=", ...format], ["."])
      if (typeof made !== "string") return made
    }
    for (const path of leftBehind(this.#gitDir)) rmSync(path, { force: true })
    mkdirSync(join(this.#gitDir, "info"), { recursive: true })
    writeFileSync(join(this.#gitDir, "info", "attributes"), NO_ATTRIBUTES)
    return null
  }

  /** A repository without commits is no failure; one whose HEAD names a branch that is not there is. */
  async #isEmpty(failure: RemoteFailure): Promise<Outcome> {
    if (this.#address.ref !== null || !/couldn't find remote ref HEAD/i.test(failure.told)) return { failure }
    const listed = await this.#git(["ls-remote", "--heads"], ["--", fetchAddress(this.#address)])
    if (typeof listed !== "string") return { failure: listed }
    const branches = Array.from(listed.matchAll(/\trefs\/heads\/(.+)$/gm), ([, name]) => name!)
    if (branches.length > 0) return { failure: { ...failure, branches } }
    const former = await this.#commit("HEAD")
    if (former === null) return { commit: null, isChanged: false }
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true })
    return { commit: null, isChanged: true }
  }

  async #commit(name: string): Promise<string | null> {
    const found = await this.#git(["rev-parse", "--verify", "--quiet"], [`${name}^{commit}`])
    const id = typeof found === "string" ? found.trim() : ""
    return isCommitId(id) ? id : null
  }

  /** What no commit holds any more, in the work tree and among the objects. Nothing fails with it. */
  async #tidy(): Promise<void> {
    await this.#git(["clean", "--quiet", "-ffdx"], [])
    const packs = join(this.#gitDir, "objects", "pack")
    const count = existsSync(packs) ? readdirSync(packs).filter((name) => name.endsWith(".pack")).length : 0
    if (count > MOST_PACKS) await this.#git(["gc", "--quiet", "--prune=now"], [])
  }

  async #git(
    command: readonly [string, ...string[]],
    rest: readonly string[],
  ): Promise<string | RemoteFailure> {
    const [step] = command
    const { signal, stallMs } = this.#options
    const isRemote = step === "fetch" || step === "ls-remote"
    // Said outright: where our own is missing or damaged, git would take that of a folder above, such as the home's.
    const place = step === "init" ? [] : [`--git-dir=${this.#gitDir}`, `--work-tree=${this.#folder}`]
    const outcome = await runOwnGit([...place, ...command, ...rest], {
      cwd: this.#folder,
      protocols: isRemote ? protocolsFor(this.#address) : [],
      signal,
      stallMs: isRemote ? stallMs : stallMs * QUIET_STEPS,
    })
    if (outcome.ok) return outcome.stdout
    if (signal?.aborted) throw new AmanError("INTERRUPTED", "interrupted while a repository was fetched")
    if (outcome.reason === "missing") {
      throw new AmanError("REPOSITORY", "git is not installed", { hint: "install git: aman clones by it" })
    }
    return { step, told: outcome.message, shown: failureOf(outcome.message) }
  }
}

/** Its own, and those that a user's "url.….insteadOf" may well turn it into. */
function protocolsFor({ kind }: Address): string[] {
  return [...new Set([kind === "scp" ? "ssh" : kind, "https", "ssh"])]
}

/** Of a git that was killed: locks, and packs half received. Nobody else works in a clone while we lead. */
function leftBehind(gitDir: string): string[] {
  const packs = join("objects", "pack")
  const heads = join("refs", "heads")
  return ["", heads, packs].flatMap((folder) => {
    const path = join(gitDir, folder)
    const names = existsSync(path) ? readdirSync(path) : []
    return names.filter((name) => /\.lock$|^tmp_/.test(name)).map((name) => join(path, name))
  })
}
