import { findGit } from "./find-git.ts"

export type GitOptions = {
  /** A folder in the work tree that is asked about. */
  readonly cwd: string
  readonly timeoutMs: number
  readonly maxBytes: number
}

export type GitOutcome =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly reason: GitFailure; readonly message: string }

/** No git on this machine; it took too long; it said too much; it refused. */
export type GitFailure = "missing" | "timeout" | "too large" | "failed"

/**
 * Asks the user's own git, without a shell. The user's configuration holds; whatever the project's could make git
 * execute is off, see docs/decisions/0013-running-git.md. Only for commands that neither touch the work tree nor run
 * filters: rev-list, diff-tree, `diff-index --cached`, cat-file. For repositories of our own there is `runOwnGit`.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitOutcome> {
  const git = findGit(options.cwd)
  if (git === null) return failure("missing", "git is not installed")
  const child = Bun.spawn([git, "--no-pager", "--literal-pathspecs", ...SETTINGS, ...args], {
    cwd: options.cwd,
    env: environment(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    maxBuffer: options.maxBytes,
    killSignal: "SIGKILL",
    windowsHide: true,
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill("SIGKILL")
  }, options.timeoutMs)
  try {
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).bytes(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    if (isLate) return failure("timeout", `git took longer than ${options.timeoutMs} ms`)
    // A git that ended before it could be killed is not.
    if (child.signalCode !== null || stdout.length > options.maxBytes)
      return failure("too large", `git said more than ${options.maxBytes} bytes`)
    return child.exitCode === 0
      ? { ok: true, stdout: new TextDecoder().decode(stdout) }
      : failure("failed", stderr.trim().split("\n")[0] || `git ended with ${child.exitCode}`)
  } finally {
    clearTimeout(timer)
  }
}

/** 40 or, in repositories that use SHA-256, 64 hexadecimal digits: never an option, never a revision expression. */
export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** What a project's own configuration could name a program in; options given here are stronger. */
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

/** Names of git's that say where the user's own configuration is, or git itself. All others would redirect us. */
const KEPT = /^(?:GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|GIT_EXEC_PATH)$/

function environment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:GIT|AMAN)_/i.test(name) || KEPT.test(name))
  return {
    ...Object.fromEntries(own),
    // A repository may lack objects on purpose; to read one would fetch it, by a program that its settings name.
    GIT_NO_LAZY_FETCH: "1",
    // The same for versions of git that do not know that: "none" is no protocol.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
  }
}

function failure(reason: GitFailure, message: string): GitOutcome {
  return { ok: false, reason, message }
}
