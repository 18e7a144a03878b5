import { readBounded } from "../../base/files/files.ts"
import { findProgram, pathOutsideProjects } from "../../base/process/programs.ts"
import { isOwnedWorkTree } from "../owned-work-tree.ts"
import { findWorkTree } from "../work-tree.ts"

export type GitOptions = {
  /** A folder in the work tree. */
  readonly cwd: string
  readonly timeoutMs: number
  readonly maxBytes: number
}

export type GitOutcome =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly reason: GitFailure; readonly message: string }

/**
 * Why git failed. "missing": it is not installed; "timeout": it took too long; "too large": its output exceeded the
 * limit; "failed": it returned an error.
 */
export type GitFailure = "missing" | "timeout" | "too large" | "failed"

/**
 * Runs the user's git without a shell. The user's configuration applies. Everything that the configuration of the
 * project could make git execute is turned off; see docs/decisions/05-running-programs.md. May be used only for commands
 * that neither touch the work tree nor run filters: rev-list, diff-tree, `diff-index --cached`, cat-file. For
 * repositories that aman has created, use `runOwnGit`.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitOutcome> {
  const git = findProgram("git", options.cwd)
  if (git === null) return failedOutcome("missing", "git is not installed")
  if (args.some((arg) => arg.includes("\0")))
    return failedOutcome("failed", "an argument contains a NUL character")
  // The repository must confirm that the work tree is its own. Otherwise one line in the `.git` file of an unpacked
  // folder would give access to the history of any repository on this machine.
  const workTree = findWorkTree(options.cwd)
  if (workTree !== null && !isOwnedWorkTree(workTree))
    return failedOutcome("failed", `the repository of ${workTree.top} does not know this folder`)
  const child = Bun.spawn([git, "--no-pager", "--literal-pathspecs", ...SETTINGS, ...args], {
    cwd: options.cwd,
    env: environment(options.cwd),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    killSignal: "SIGKILL",
    windowsHide: true,
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill("SIGKILL")
  }, options.timeoutMs)
  const read = async (stream: ReadableStream<Uint8Array>, maxBytes: number) => {
    const bytes = await readBounded(stream, maxBytes)
    if (bytes === null) child.kill("SIGKILL")
    return bytes
  }
  try {
    const [stdout, stderr] = await Promise.all([
      read(child.stdout, options.maxBytes),
      read(child.stderr, MAX_STDERR_BYTES),
      child.exited,
    ])
    if (isLate) return failedOutcome("timeout", `git took longer than ${options.timeoutMs} ms`)
    if (stdout === null || stderr === null)
      return failedOutcome("too large", `git printed more than ${options.maxBytes} bytes`)
    return child.exitCode === 0
      ? { ok: true, stdout: new TextDecoder().decode(stdout) }
      : failedOutcome(
          "failed",
          stderr.toString().trim().split("\n")[0] || `git exited with ${child.exitCode}`,
        )
  } finally {
    clearTimeout(timer)
  }
}

const MAX_STDERR_BYTES = 64 << 10

/**
 * True for 40 or, in repositories that use SHA-256, 64 hexadecimal digits. Such a text can be neither an option nor a
 * revision expression.
 */
export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/**
 * Settings for which the configuration of a project could name a program. Command-line options have precedence over the
 * configuration.
 */
const SETTINGS: readonly string[] = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.sshCommand=false",
  "core.gitProxy=false",
  "core.askPass=false",
  "core.alternateRefsCommand=false",
  "credential.helper=",
  "gpg.program=false",
  "log.showSignature=false",
].flatMap((setting) => ["-c", setting])

/**
 * Variables of git that locate the user's own configuration or git itself. All other variables of git are removed,
 * because they could redirect it.
 */
const KEPT_VARIABLES = /^(?:GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|GIT_EXEC_PATH)$/

function environment(cwd: string): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:(?:GIT|AMAN)_.*|PATH)$/i.test(name) || KEPT_VARIABLES.test(name),
  )
  return {
    ...Object.fromEntries(kept),
    PATH: pathOutsideProjects(cwd),
    // A partial clone lacks objects on purpose. Reading one would fetch it with a program that the project's settings
    // name.
    GIT_NO_LAZY_FETCH: "1",
    // The same for versions of git that do not know GIT_NO_LAZY_FETCH: there is no protocol "none".
    GIT_ALLOW_PROTOCOL: "none",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
  }
}

function failedOutcome(reason: GitFailure, message: string): GitOutcome {
  return { ok: false, reason, message }
}
