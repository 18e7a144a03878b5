import { existsSync } from "node:fs"
import { endGroup, findProgram, pathOutsideProjects, readBounded } from "../../../base/index.ts"
import { historyRefusal } from "../work-tree.ts"

type GitOptions = {
  /** A folder in the work tree. */
  readonly cwd: string
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly decode?: (output: Uint8Array) => string
}

type GitOutcome =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly reason: GitFailure; readonly message: string }

/** Why git failed. */
export type GitFailure = keyof typeof GIT_FAILURES

/** Each failure of git as the end of a sentence. "refused": see `historyRefusal`. */
export const GIT_FAILURES = {
  missing: "git is not installed",
  timeout: "git took too long",
  "too large": "git printed too much",
  refused: "the repository may not be read",
  incomplete: "this partial clone lacks objects (git fetch --refetch --no-filter)",
  failed: "git cannot read the repository",
} as const

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
  const refusal = historyRefusal(options.cwd)
  if (refusal !== null) return failedOutcome("refused", refusal)
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
    if (child.exitCode === 0)
      return { ok: true, stdout: options.decode?.(stdout) ?? new TextDecoder().decode(stdout) }
    const said = stderr.toString().trim()
    return failedOutcome(
      /promisor|lazy fetching/.test(said) ? "incomplete" : "failed",
      said.split("\n")[0] || `git exited with ${child.exitCode}`,
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

type OwnGitOptions = {
  /** The top of a work tree that aman manages, or the folder where one will be created. */
  readonly cwd: string
  /**
   * Protocols that git may use for other repositories, for example "https". Without any, git does not use the network.
   */
  readonly protocols?: readonly string[]
  /**
   * Maximum memory in bytes of git, and of each program that it starts; Linux only. Memory-mapped files do not count.
   * With too little memory, git fails; see `isOutOfMemory`.
   */
  readonly maxMemoryBytes: number
  /** git is ended after this many milliseconds without output. Transfers continuously report their progress. */
  readonly stallMs: number
  readonly signal?: AbortSignal | undefined
  /** Called twice a second. If it returns a text, git is ended, and the text becomes the message of the failure. */
  readonly watch?: () => string | null
  /** Receives the output in parts, which are then not stored. If it returns a text, git is ended as with `watch`. */
  readonly onOutput?: (part: Uint8Array) => string | null
}

const WATCH_MS = 500

// Sets the limit in a shell before git runs, because programs inherit it. "$0" is the limit. The shell does not
// interpret the arguments of git.
const LIMITED = ["/bin/sh", "-c", 'ulimit -d "$0" 2>/dev/null; exec "$@"']
const hasLimits = process.platform === "linux" && existsSync("/bin/sh")

const MAX_BYTES = 1024 * 1024
const MAX_OWN_STDERR_BYTES = 16 * 1024

/**
 * Runs git on a repository that aman itself has created. The user's own configuration of git and ssh applies in full.
 * Nothing in the repository may be executed; see docs/decisions/05-running-programs.md.
 */
export async function runOwnGit(args: readonly string[], options: OwnGitOptions): Promise<GitOutcome> {
  const git = findProgram("git", options.cwd)
  if (git === null) return { ok: false, reason: "missing", message: "git is not installed" }
  if (options.signal?.aborted) return { ok: false, reason: "failed", message: "interrupted" }
  if (args.some((arg) => arg.includes("\0")))
    return { ok: false, reason: "failed", message: "an argument contains a NUL character" }
  const limited = hasLimits ? [...LIMITED, String(Math.ceil(options.maxMemoryBytes / 1024))] : []
  const child = Bun.spawn([...limited, git, "--no-pager", "--literal-pathspecs", ...OWN_SETTINGS, ...args], {
    cwd: options.cwd,
    env: { ...ownEnvironment(process.env, options.protocols ?? []), PATH: pathOutsideProjects() },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // In a session of its own, git has no terminal in which ssh could prompt, and it can be killed with all its
    // children.
    detached: process.platform !== "win32",
    windowsHide: true,
  })
  let ending: string | null = null
  const end = (why: string) => {
    ending ??= why
    // Also ends the programs that git started: ssh, git-remote-https, index-pack.
    endGroup(child)
  }
  const stalled = () => end(`git printed nothing for ${Math.round(options.stallMs / 1000)} s`)
  let timer = setTimeout(stalled, options.stallMs)
  const isAlive = () => {
    clearTimeout(timer)
    timer = setTimeout(stalled, options.stallMs)
  }
  const interrupt = () => end("interrupted")
  const endIf = (why: string | null | undefined) => {
    if (typeof why === "string") end(why)
  }
  const watching = options.watch && setInterval(() => endIf(options.watch?.()), WATCH_MS)
  const read = (part: Uint8Array) => {
    isAlive()
    if (ending === null) endIf(options.onOutput?.(part))
  }
  options.signal?.addEventListener("abort", interrupt, { once: true })
  try {
    const [stdout, stderr] = await Promise.all([
      readOutput(child.stdout, options.onOutput ? 0 : MAX_BYTES, read),
      readOutput(child.stderr, MAX_OWN_STDERR_BYTES, isAlive),
      child.exited,
    ])
    if (ending !== null) return { ok: false, reason: "timeout", message: ending }
    if (child.exitCode === 0) return { ok: true, stdout }
    return { ok: false, reason: "failed", message: stderr.trim() || `git exited with ${child.exitCode}` }
  } finally {
    clearTimeout(timer)
    clearInterval(watching)
    options.signal?.removeEventListener("abort", interrupt)
  }
}

/**
 * Settings that override every configuration file. They turn off everything in a work tree that git could run, follow
 * or convert.
 */
const OWN_SETTINGS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  // A link becomes a small text file, so that nothing in a clone leads out of it.
  "core.symlinks=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.autocrlf=false",
  "core.logAllRefUpdates=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "fetch.writeCommitGraph=false",
  // Packs are kept and not unpacked into loose objects, so that the remains of earlier fetches can be counted.
  "fetch.unpackLimit=1",
  "gc.auto=0",
  "maintenance.auto=false",
  "credential.interactive=never",
  // With version 2, git requests only the wanted branch, so that a remote need not list a million others.
  "protocol.version=2",
  // This is git's default: the first response may redirect to an allowed protocol; later responses may not.
  "http.followRedirects=initial",
  // Larger files are hashed and written in parts. Those stored as deltas are still read as a whole.
  "core.bigFileThreshold=16m",
  // One thread, because each thread has its own objects in memory.
  "pack.threads=1",
  "core.deltaBaseCacheLimit=32m",
  "pack.windowMemory=64m",
  // Git's stack would overflow with a deeper chain of folders. No file system could check it out anyway.
  "core.maxTreeDepth=1024",
  "init.defaultBranch=main",
].flatMap((setting) => ["-c", setting])

/** The last `maxBytes` bytes of a stream, because errors are at its end. */
async function readOutput(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  onPart: (part: Uint8Array) => void,
): Promise<string> {
  let kept = Buffer.alloc(0)
  for await (const part of stream) {
    onPart(part)
    if (maxBytes === 0) continue
    kept = Buffer.concat([kept, part])
    if (kept.length > maxBytes) kept = kept.subarray(kept.length - maxBytes)
  }
  return kept.toString("utf8")
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment for git in a repository that aman manages. It contains all variables that tell how the user connects
 * to servers (configuration, ssh, certificates, password helpers), and no variable that makes git use another
 * repository or print what it sends. The caller adds PATH.
 */
export function ownEnvironment(env: Environment, protocols: readonly string[]): Environment {
  const kept = Object.entries(env).filter(([name]) => !FOREIGN.test(name) || OWN_KEPT_VARIABLES.test(name))
  return {
    ...Object.fromEntries(kept),
    GIT_ALLOW_PROTOCOL: protocols.join(":") || "none",
    // Nobody could answer a prompt.
    GIT_TERMINAL_PROMPT: "0",
    GCM_INTERACTIVE: "never",
    SSH_ASKPASS_REQUIRE: "never",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    LC_ALL: "C",
    LANGUAGE: "C",
  }
}

// SSH_ASKPASS is removed, because it would open a window without explanation.
const FOREIGN = /^(?:(?:GIT|AMAN)_.*|SSH_ASKPASS|PATH)$/i

const OWN_KEPT_VARIABLES =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH|SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_\w+|HTTP_\w+|PROXY_\w+)$/

/** True if git, or a program that it started, failed because of its memory limit. */
export function isOutOfMemory(output: string): boolean {
  return /out of memory|cannot allocate memory|unable to create thread/i.test(output)
}

const MAX_CHARACTERS = 300

// Matches progress messages, and lines of git that say nothing about the cause.
const UNINFORMATIVE =
  /^(?:(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Total|Updating)\b|Please make sure|and the repository exists|From |hint: |\s*$|(?:remote: )?=+$)/

// Matches messages that are only consequences of an earlier error.
const AFTERMATH = /^Could not read from remote repository|^the remote end hung up|^early EOF|^expected flush/

/**
 * The cause of a failure, from the output of git and ssh. It is one line, and addresses in it contain no user names and
 * passwords.
 */
export function failureOf(output: string): string {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => !UNINFORMATIVE.test(line))
    .map((line) => line.replace(/^(?:fatal|error|ERROR): /, ""))
  const causes = lines.filter((line) => !AFTERMATH.test(line))
  const summary = [...new Set(causes.length > 0 ? causes : lines)].slice(-3).join("; ")
  const clean = withoutCredentials(summary.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " "))
  return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS)}…` : clean
}

/** Removes user names and passwords from addresses. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s'"]*@/giu, "$1")
}
