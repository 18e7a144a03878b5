import { findGit } from "./find-git.ts"
import { ownEnvironment } from "./own-environment.ts"
import type { GitOutcome } from "./run.ts"

export type OwnGitOptions = {
  /** The top of a work tree of ours, or where one is to be. */
  readonly cwd: string
  /** What git may speak to other repositories, as "https"; none: it stays on this machine. */
  readonly protocols?: readonly string[]
  /** Ends a git that has said nothing for so long: transfers tell of their progress all the time. */
  readonly stallMs: number
  readonly signal?: AbortSignal | undefined
}

const MOST_BYTES = 1024 * 1024
const MOST_TOLD_BYTES = 16 * 1024

/**
 * Asks git about a repository that aman itself made, without a shell. Here the user's own git and ssh configuration
 * holds in full, and nothing that comes with the repository's content may run; see docs/decisions/0013.
 */
export async function runOwnGit(args: readonly string[], options: OwnGitOptions): Promise<GitOutcome> {
  const git = findGit(options.cwd)
  if (git === null) return { ok: false, reason: "missing", message: "git is not installed" }
  if (options.signal?.aborted) return { ok: false, reason: "failed", message: "interrupted" }
  const child = Bun.spawn([git, "--no-pager", "--literal-pathspecs", ...SETTINGS, ...args], {
    cwd: options.cwd,
    env: ownEnvironment(process.env, options.protocols ?? []),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // A session of its own has no terminal that ssh could ask on, and ends as a whole.
    detached: process.platform !== "win32",
    windowsHide: true,
  })
  let ending: string | null = null
  const end = (why: string) => {
    ending ??= why
    endGroup(child)
  }
  const stalled = () => end(`git said nothing for ${Math.round(options.stallMs / 1000)} s`)
  let timer = setTimeout(stalled, options.stallMs)
  const isAlive = () => {
    clearTimeout(timer)
    timer = setTimeout(stalled, options.stallMs)
  }
  const interrupt = () => end("interrupted")
  options.signal?.addEventListener("abort", interrupt, { once: true })
  try {
    const [stdout, stderr] = await Promise.all([
      textOf(child.stdout, MOST_BYTES, isAlive),
      textOf(child.stderr, MOST_TOLD_BYTES, isAlive),
      child.exited,
    ])
    if (ending !== null) return { ok: false, reason: "timeout", message: ending }
    if (child.exitCode === 0) return { ok: true, stdout }
    return { ok: false, reason: "failed", message: stderr.trim() || `git ended with ${child.exitCode}` }
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener("abort", interrupt)
  }
}

/** Stronger than any file: what a work tree could make git run, follow or turn into something else. */
const SETTINGS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  // A link becomes a small text file: nothing in a clone leads out of it.
  "core.symlinks=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.autocrlf=false",
  "core.logAllRefUpdates=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "fetch.writeCommitGraph=false",
  // A pack, not so many files; what is left of former fetches is told by counting packs.
  "fetch.unpackLimit=1",
  "gc.auto=0",
  "maintenance.auto=false",
  "credential.interactive=never",
  "init.defaultBranch=main",
].flatMap((setting) => ["-c", setting])

/** The last so many bytes of it: what went wrong is said at the end. */
async function textOf(
  stream: ReadableStream<Uint8Array>,
  mostBytes: number,
  onPart: () => void,
): Promise<string> {
  let kept = Buffer.alloc(0)
  for await (const part of stream) {
    onPart()
    kept = Buffer.concat([kept, part])
    if (kept.length > mostBytes) kept = kept.subarray(kept.length - mostBytes)
  }
  return kept.toString("utf8")
}

/** git, and the programs it started: ssh, git-remote-https, index-pack. */
function endGroup(child: { readonly pid: number; kill(signal: "SIGKILL"): void }): void {
  try {
    if (process.platform !== "win32") process.kill(-child.pid, "SIGKILL")
  } catch {
    // Nothing is left of the group.
  }
  child.kill("SIGKILL")
}
