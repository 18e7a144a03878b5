/**
 * Makes single file operations of the compiled binary fail and checks the result for the user:
 *
 *   bun scripts/faults.ts [--seed 1] [--count 300] [--memory 100] [--only COMMAND]
 *                         [--case 'COMMAND SYSCALL ERROR N[+]']
 *
 * strace counts the system calls of each command once, then makes the n-th one fail with an errno (EIO, ENOSPC, EACCES,
 * EMFILE, ENOMEM …) or write nothing. Each time the command must give the same answer as without the fault, or say
 * what is missing from the answer, or end with an error that names cause and next step. It must not end by a signal,
 * hang or report a bug. Afterwards the same command without a fault must leave the workspace as an undisturbed run
 * does: same index, same memories, no half-written file of the user and no temporary file.
 *
 * --memory is the number of further faults, in which the system refuses memory to the process (anonymous mmap, mremap,
 * brk: ENOMEM). There the runtime may also end the process itself, before anything is answered; no program
 * in it can prevent that. Thread stacks are left out: without one of its own threads the runtime compiles no
 * WebAssembly, and each file takes the 40 s after which its parser is given up.
 *
 * Ends with 0 if strace is missing or not permitted.
 */
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { SHOP } from "../test/e2e/sample.ts"
import { noteFigures } from "../test/figures.ts"
import { truthOf } from "../test/index-equality.ts"
import { randomFrom } from "../test/random.ts"

/**
 * Time in ms after which a command counts as hung. It takes well under a second; with strace on a busy machine,
 * a few.
 */
const HANG_MS = 90_000
/** The largest exit code in docs/cli: 0 done, 1 nothing found, 2 usage, 3 failure, 4 nothing written. */
const LAST_EXIT_CODE = 4

// biome-ignore lint/suspicious/noExplicitAny: each command has its own JSON
type Json = any

type Command = {
  readonly args: readonly string[]
  /**
   * Workspace before the command. "bare": only the project's files. "used": also an index, memories, settings
   * and an export, and files changed since then.
   */
  readonly from: "bare" | "used"
  readonly stdin?: string
  /** The part of the answer that does not depend on times and ids; absent if any answer is right. */
  readonly answer?: (json: Json) => unknown
}

/**
 * A system call to fail: the n-th one in each thread, or if lasting, all calls on the command's own files from
 * the n-th on.
 */
type Fault = {
  readonly command: string
  readonly syscall: string
  readonly error: string
  readonly n: number
  readonly isLasting: boolean
  /** True if the call asks for memory and not for a file. */
  readonly isMemory: boolean
}

type Ran = {
  readonly status: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** What a command left in the workspace. */
type Left = {
  readonly index: unknown
  readonly memories: readonly string[]
  readonly userFiles: Readonly<Record<string, string | null>>
  readonly files: readonly string[]
}

const COMMANDS: Readonly<Record<string, Command>> = {
  index: { from: "bare", args: ["index", "--json", "--quiet"], answer: ({ files }) => files },
  update: { from: "used", args: ["index", "--json", "--quiet"], answer: ({ files }) => files },
  search: { from: "bare", args: ["search", "--json", "--quiet", "refund"], answer: paths },
  "search-changed": { from: "used", args: ["search", "--json", "--quiet", "refund"], answer: paths },
  grep: { from: "used", args: ["grep", "--json", "--quiet", "refund"], answer: paths },
  symbol: { from: "used", args: ["symbol", "--json", "--quiet", "RefundPayment"] },
  "remember-first": { from: "bare", args: ["remember", "--json", "--", "Invoices carry a number"] },
  remember: { from: "used", args: ["remember", "--json", "--", "Invoices carry a number"] },
  recall: {
    from: "used",
    args: ["recall", "--json", "ledger"],
    answer: (json) => json.results.map(({ text }: Json) => text),
  },
  export: { from: "used", args: ["memory", "export", "--json", "notes.md"] },
  import: { from: "used", args: ["memory", "import", "--json", "import.jsonl"] },
  rebuild: { from: "used", args: ["memory", "rebuild", "--json"] },
  config: { from: "used", args: ["config", "set", "log.level", "error"] },
  setup: { from: "used", args: ["setup", "--yes", "--json", "claude-code", "codex"] },
  "setup-remove": { from: "used", args: ["setup", "--remove", "--yes", "--json", "claude-code", "codex"] },
  "repos-add": { from: "used", args: ["repos", "add", "--json", "../other"] },
  doctor: { from: "used", args: ["doctor", "--json"] },
  serve: { from: "used", args: ["serve"], stdin: messages() },
}

/** After a fault, each of these files must be as before the command, or as a run without a fault leaves it. */
const USER_FILES = [
  "home/.config/aman/config.yaml",
  "home/.claude.json",
  "home/.claude/settings.json",
  "home/.claude/CLAUDE.md",
  "home/.codex/config.toml",
  "home/.codex/AGENTS.md",
  "project/notes.md",
]

const READS = ["read", "pread64"]
const WRITES = ["write", "pwrite64", "writev", "pwritev", "fallocate", "ftruncate"]
const SYNCS = ["fsync", "fdatasync"]
const NAMES = [
  "rename",
  "renameat",
  "renameat2",
  "unlink",
  "unlinkat",
  "rmdir",
  "mkdir",
  "mkdirat",
  "link",
  "linkat",
  "symlink",
]
const OPENS = ["openat", "open", "openat2", "getdents64", "mmap", "fcntl", "close", "readlink", "access"]
const STATS = [
  "statx",
  "stat",
  "lstat",
  "fstat",
  "newfstatat",
  "statfs",
  "fstatfs",
  "chmod",
  "fchmod",
  "fchown",
  "utimensat",
]
const SYSCALLS = [...READS, ...WRITES, ...SYNCS, ...NAMES, ...OPENS, ...STATS]
const ALLOCATIONS = ["mmap", "mremap", "brk"]
/** Exit codes of a process that the loader or the runtime ended for want of memory. */
const ENDED_BY_RUNTIME = [127, 132, 133, 134, 139]

/**
 * Calls with a file descriptor or a path as an argument, so that strace can tell which are on the command's own
 * files. For these, all later calls may fail as well.
 */
const LASTING = [...WRITES, ...SYNCS, "pread64", "fcntl", "mmap"]

const FULL = ["EIO", "ENOSPC", "EDQUOT"]
const DENIED = ["EACCES", "EROFS", "ENOSPC", "EIO"]
const ERRORS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(WRITES.map((name) => [name, FULL])),
  write: [...FULL, "zero"],
  pwrite64: [...FULL, "zero"],
  ...Object.fromEntries(SYNCS.map((name) => [name, ["EIO", "ENOSPC"]])),
  ...Object.fromEntries(NAMES.map((name) => [name, DENIED])),
  ...Object.fromEntries(READS.map((name) => [name, ["EIO"]])),
  openat: ["EIO", "EACCES", "EMFILE", "ENOSPC", "EROFS", "ENOMEM"],
  getdents64: ["EIO"],
  mmap: ["ENOMEM", "ENODEV"],
  fcntl: ["EIO", "ENOLCK"],
}
const errorsOf = (syscall: string) => ERRORS[syscall] ?? ["EIO", "EACCES"]

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "300" },
    memory: { type: "string", default: "0" },
    only: { type: "string" },
    case: { type: "string", multiple: true },
    keep: { type: "boolean" },
  },
})
const binary = process.env["AMAN_BINARY"] ?? join(import.meta.dir, "..", "dist", "aman")
const base = mkdtempSync(join(tmpdir(), "aman-faults-"))
const random = randomFrom(Number(values.seed))
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!

const work = join(base, "work")
const temporary = join(base, "temporary")
const templates = { bare: join(base, "bare"), used: join(base, "used") }
const undisturbed = new Map<
  string,
  {
    readonly before: Left
    readonly after: Left
    readonly ran: Ran
    readonly calls: ReadonlyMap<string, readonly number[]>
    readonly allocations: ReadonlyMap<string, readonly number[]>
  }
>()

if (!mayTrace()) console.log("faults       skipped: strace is absent or may not trace here")
else process.exitCode = main()
if (!values.keep) rmSync(base, { recursive: true, force: true })

function main(): number {
  mkdirSync(temporary)
  makeTemplates()
  const faults = values.case?.map(parseFault) ?? [
    ...sample(Number(values.count), false),
    ...sample(Number(values.memory), true),
  ]
  let failed = 0
  let hit = 0
  for (const fault of faults) {
    const found = inject(fault)
    if (found === null) continue
    hit++
    if (found.problems.length === 0 && !values.case) continue
    if (found.problems.length > 0) failed++
    console.error(`${named(fault)}\n  at ${found.at}\n  ${found.problems.join("\n  ")}\n  ${found.said}`)
  }
  noteFigures("faults", { injected: hit, "not reached": faults.length - hit, failed })
  console.log(`${hit} faults injected, ${failed} not survived (seed ${values.seed})`)
  return failed > 0 ? 1 : 0
}

function named({ command, syscall, error, n, isLasting }: Fault): string {
  return `${command} ${syscall} ${error} ${n}${isLasting ? "+" : ""}`
}

function parseFault(text: string): Fault {
  const [command, syscall, error, n] = text.split(" ") as [string, string, string, string]
  const isMemory = error === "ENOMEM" && ALLOCATIONS.includes(syscall)
  return { command, syscall, error, n: Number.parseInt(n, 10), isLasting: n.endsWith("+"), isMemory }
}

/**
 * Faults spread evenly over commands and their system calls, so that rare calls fail as often as frequent ones.
 */
function sample(count: number, isMemory: boolean): Fault[] {
  const names = Object.keys(COMMANDS).filter((name) => values.only === undefined || name === values.only)
  return Array.from({ length: count }, (_, index) => {
    const command = names[index % names.length]!
    const { calls, allocations } = plain(command)
    const among = isMemory ? allocations : calls
    const syscall = pick([...among.keys()])
    const isLasting = !isMemory && LASTING.includes(syscall) && random() < 0.3
    const error = isMemory ? "ENOMEM" : pick(errorsOf(syscall))
    return { command, syscall, error, n: pick(among.get(syscall)!), isLasting, isMemory }
  })
}

/** Result of the command's run without a fault, computed once. */
function plain(name: string) {
  const cached = undisturbed.get(name)
  if (cached) return cached
  const { from } = COMMANDS[name]!
  restore(from)
  const before = inspect()
  restore(from)
  const log = join(base, "calls")
  const traced = [...SYSCALLS, ...ALLOCATIONS].map((each) => `?${each}`).join()
  const { ran } = trace(name, ["-e", `trace=${traced}`], log)
  if (ran.status !== 0)
    throw new Error(`${name} undisturbed: ${ran.status} ${ran.signal} ${ran.stdout}${ran.stderr}`)
  again(name)
  const lines = readFileSync(log, "latin1")
  const [calls, allocations] = [callsIn(lines, isOnWorkspaceFile), callsIn(lines, isAllocation)]
  const found = { before, after: inspect(), ran, calls, allocations }
  undisturbed.set(name, found)
  return found
}

/** For each system call, the numbers (from 1, counted per thread) of the calls that `isWanted` accepts. */
function callsIn(log: string, isWanted: (line: string) => boolean): Map<string, number[]> {
  const counts = new Map<string, number>()
  const found = new Map<string, Set<number>>()
  for (const line of log.split("\n")) {
    const [, thread, syscall] = /^(\d+) +(\w+)\(/.exec(line) ?? []
    if (thread === undefined || syscall === undefined) continue
    const key = `${thread} ${syscall}`
    const n = (counts.get(key) ?? 0) + 1
    counts.set(key, n)
    if (isWanted(line)) found.set(syscall, (found.get(syscall) ?? new Set()).add(n))
  }
  return new Map([...found].map(([syscall, ns]) => [syscall, [...ns].sort((a, b) => a - b)]))
}

/**
 * True for a call on a file of the workspace. The working folder, which strace prints for every path, does not
 * count; a path relative to it does.
 */
function isOnWorkspaceFile(line: string): boolean {
  const named = line.replace(/AT_FDCWD<[^>]*>, "(?=\/)/, '"')
  return named.includes(work) || /\/proc\/self\/fd\/\d+/.test(named)
}

/** True for a call that asks for memory other than a thread's stack. */
function isAllocation(line: string): boolean {
  const [, syscall] = /^\d+ +(\w+)\(/.exec(line) ?? []
  if (syscall === "mmap") return line.includes("MAP_ANONYMOUS") && !line.includes("MAP_STACK")
  return ALLOCATIONS.includes(syscall ?? "")
}

function inject(
  fault: Fault,
): { readonly at: string; readonly problems: readonly string[]; readonly said: string } | null {
  const { before, after, ran: expected } = plain(fault.command)
  restore(COMMANDS[fault.command]!.from)
  const log = join(base, "injected")
  const what = fault.error === "zero" ? "retval=0" : `error=${fault.error}`
  const own = fault.isLasting ? ownFiles(after).flatMap((path) => ["-P", path]) : []
  const when = `${fault.n}${fault.isLasting ? "+" : ""}`
  const { ran, ms } = trace(
    fault.command,
    [...own, "-e", `trace=${fault.syscall}`, "-e", `inject=${fault.syscall}:${what}:when=${when}`],
    log,
  )
  const hits = readFileSync(log, "latin1")
    .split("\n")
    .filter((line) => line.includes("(INJECTED)"))
  const at = hits.find(fault.isMemory ? isAllocation : isOnWorkspaceFile)
  if (at === undefined || isImpossible(fault.error, at)) return null
  const problems = [...runProblems(fault, ran, ms, expected)]
  const between = userFiles()
  for (const [path, text] of Object.entries(between)) {
    if (text !== before.userFiles[path] && text !== after.userFiles[path])
      problems.push(
        `${path} is neither as before nor as it should be: ${JSON.stringify(text)?.slice(0, 300)}`,
      )
  }
  const retried = again(fault.command)
  if (retried.status !== 0 && !(fault.command === "repos-add" && /already/.test(retried.stdout)))
    problems.push(`the same command without the fault: ${summary(retried)}`)
  problems.push(...differences(inspect(), after, fault.command))
  return { at: at.slice(0, 300), problems, said: summary(ran) }
}

/**
 * True for an error that the call cannot have: opening a file for reading needs neither free space nor write
 * access.
 */
function isImpossible(error: string, at: string): boolean {
  return /ENOSPC|EROFS/.test(error) && /\bopen(?:at)?\(/.test(at) && at.includes("O_RDONLY")
}

function runProblems({ command, isMemory }: Fault, ran: Ran, ms: number, expected: Ran): string[] {
  const found: string[] = []
  if (isMemory && isEndedByRuntime(ran))
    return command === "serve" || ran.stdout === "" ? [] : ["ended after it had begun to answer"]
  const said = ran.stdout + ran.stderr
  if (ran.signal !== null || (ran.status ?? 0) > LAST_EXIT_CODE)
    found.push(`ended by a signal or hung: ${ran.status} ${ran.signal} after ${ms} ms`)
  if (/this is a bug in aman|"BUG"/.test(said)) found.push("reported as a bug")
  if (/\n\s+at \S+ \(|\n\s+at .*:\d+:\d+/.test(said)) found.push("a stack trace is printed")
  if (said.includes("/proc/self/fd/")) found.push("a message shows a descriptor instead of a path")
  const answered = command === "serve" ? unanswered(ran) : answerProblem(command, ran, expected)
  return answered === null ? found : [...found, answered]
}

function isEndedByRuntime({ status, signal }: Ran): boolean {
  return /^SIG(?:ABRT|SEGV|TRAP|ILL|BUS)$/.test(signal ?? "") || ENDED_BY_RUNTIME.includes(status ?? 0)
}

function unanswered({ stdout }: Ran): string | null {
  const lines = stdout.split("\n").filter(Boolean)
  const ids = lines.map((line) => JSON.parse(line).id)
  const missing = [1, 2, 3, 4].filter((id) => !ids.includes(id))
  return missing.length === 0 ? null : `without an answer: ${missing.join(", ")}`
}

function answerProblem(command: string, ran: Ran, expected: Ran): string | null {
  // Exit code 1 means that nothing was found.
  if (ran.status === 0 || (ran.status === 1 && reportsProblem(ran))) {
    const { answer } = COMMANDS[command]!
    if (answer === undefined || reportsProblem(ran)) return null
    const [is, should] = [answer(JSON.parse(ran.stdout)), answer(JSON.parse(expected.stdout))]
    return JSON.stringify(is) === JSON.stringify(should) || isCountedUnreadable()
      ? null
      : `another answer, without a word: ${JSON.stringify(is)}`
  }
  const error = errorIn(ran)
  if (error === null) return `ended with ${ran.status} and no message`
  return error.hint ? null : "no next step is named"
}

/** True if `aman status` counts unreadable files or folders, which are left out of the index. */
function isCountedUnreadable(): boolean {
  const { skipped } = JSON.parse(aman(["status", "--json"]).stdout)
  return (skipped?.unreadable ?? 0) > 0
}

/** True if the answer contains a notice, or if stderr is not empty. */
function reportsProblem(ran: Ran): boolean {
  return (
    ran.stderr.trim() !== "" ||
    (JSON.parse(ran.stdout).notices?.length ?? 0) > 0 ||
    JSON.parse(ran.stdout).skipped?.unreadable > 0
  )
}

function errorIn({
  stdout,
  stderr,
}: Ran): { readonly message: string; readonly hint?: string | null } | null {
  try {
    const json = JSON.parse(stdout)
    if (json.error) return json.error
    const broken = json.checks?.find(({ state }: Json) => state === "error")
    if (broken) return { message: broken.message, hint: broken.next }
    if (/fail|cannot|could not|broken|wrong/i.test(stdout)) return { message: stdout, hint: "in the report" }
  } catch {
    // The error is printed as text and not as JSON.
  }
  const message = /aman: (.*)/.exec(stderr)?.[1]
  return message === undefined ? null : { message, hint: /hint: (.*)/.exec(stderr)?.[1] ?? null }
}

function summary({ status, signal, stdout, stderr }: Ran): string {
  return `[${status ?? signal}] ${stdout.slice(0, 700).trim()} | ${stderr.slice(0, 500).trim()}`
}

function differences(is: Left, should: Left, command: string): string[] {
  const found: string[] = []
  if (command !== "repos-add" && JSON.stringify(is.index) !== JSON.stringify(should.index)) {
    const parts = Object.keys((should.index ?? {}) as object).filter(
      (key) => JSON.stringify((is.index as Json)?.[key]) !== JSON.stringify((should.index as Json)[key]),
    )
    found.push(`the index differs afterwards in ${parts.join(", ")}`)
  }
  if (JSON.stringify(is.memories) !== JSON.stringify(should.memories))
    found.push(`memories afterwards: ${is.memories.join(" / ")}`)
  for (const [path, text] of Object.entries(should.userFiles))
    if (text !== is.userFiles[path])
      found.push(`${path} differs afterwards: ${JSON.stringify(is.userFiles[path])?.slice(0, 300)}`)
  const extra = is.files.filter((path) => !should.files.includes(path) && !/aman\/indexes/.test(path))
  // If the data folder cannot be written, aman registers its indexes in the temporary folder.
  const missing = should.files.filter((path) => !is.files.includes(path) && !/aman\/projects/.test(path))
  if (extra.length > 0) found.push(`left over: ${extra.join(", ")}`)
  if (missing.length > 0) found.push(`missing: ${missing.join(", ")}`)
  return found
}

/**
 * Everything in the workspace that a user would miss. Runs the binary, which first brings the index up to date.
 */
function inspect(): Left {
  const index = aman(["index", "--json", "--quiet"])
  const listed = aman(["memory", "list", "--json"])
  const folder = join(work, "project", ".aman")
  return {
    index: index.status === 0 && existsSync(folder) ? truthOf(folder) : summary(index),
    memories: memoriesIn(listed),
    userFiles: userFiles(),
    files: filesIn(work),
  }
}

function memoriesIn(listed: Ran): string[] {
  try {
    return JSON.parse(listed.stdout)
      .entries.map(({ text }: Json) => text)
      .sort()
  } catch {
    return [summary(listed)]
  }
}

function userFiles(): Record<string, string | null> {
  return Object.fromEntries(
    USER_FILES.map((path) => {
      const full = join(work, path)
      if (!existsSync(full)) return [path, null]
      const text = readFileSync(full, "utf8")
      return [
        path,
        path.endsWith("notes.md")
          ? text.replace(/\d{4}-\d\d-\d\d[T\d:.Z]*/g, "DATE").replace(/01m\w{17}/g, "ID")
          : text,
      ]
    }),
  )
}

/**
 * Paths of the files below a folder, with generations, ids and times replaced; without journals, which may or
 * may not exist.
 */
function filesIn(folder: string): string[] {
  const names = (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => !/(^|\/)\.git\/|-(wal|shm|journal)$|\.git$/.test(name))
    .map((name) => name.replace(/[0-9a-f]{16,}/g, "HEX").replace(/\d+/g, "N"))
  return [...new Set(names)].sort()
}

function ownFiles({ files }: Left): string[] {
  const found = (readdirSync(work, { recursive: true }) as string[]).map((name) => join(work, name))
  const data = join(work, "home/.local/share/aman")
  const index = join(work, "project/.aman")
  const made = [
    "index.db",
    "index.db-wal",
    "index.db-shm",
    "lock.db",
    "lock.db-probe",
    "keyword-1.seg.tmp",
    "keyword-2.seg.tmp",
    "vectors-1-1.vec.tmp",
    "vectors-1-2.vec.tmp",
    "vectors-1-3.vec.tmp",
  ]
  const known = ["knowledge.db", "knowledge.db-wal", "knowledge.db-journal", "knowledge.db-shm"]
  const all = [
    ...made.map((name) => join(index, name)),
    ...known.map((name) => join(data, name)),
    ...USER_FILES.map((path) => join(work, path)),
    ...found.filter((path) => !/\.git\//.test(path)),
  ]
  return files.length === 0 ? [] : [...new Set(all)]
}

function makeTemplates(): void {
  const project = join(work, "project")
  mkdirSync(join(work, "home"), { recursive: true })
  for (const [path, text] of Object.entries(SHOP)) put(join(project, path), text)
  git(project)
  const other = join(work, "other")
  put(join(other, "a.py"), "def first():\n    return 1\n")
  git(other)
  put(join(work, "home/.claude.json"), '{"numStartups": 5}\n')
  put(join(work, "home/.codex/config.toml"), 'model = "x"\n')
  cpSync(work, templates.bare, { recursive: true, preserveTimestamps: true })
  must(["index", "--quiet"])
  for (const text of [
    "The ledger closes at midnight",
    "Refunds need two approvals",
    "The login form locks after five failures",
  ])
    must(["remember", "--", text])
  must(["config", "set", "log.level", "info"])
  must(["memory", "export", "notes.md"])
  put(
    join(project, "import.jsonl"),
    '{"text":"Parcels leave at noon","topic":"general"}\n{"text":"Stock is counted on Mondays","topic":"general"}\n',
  )
  must(["remember", "--", "Parcels are weighed twice"])
  must(["setup", "--yes", "--quiet", "--only", "mcp", "codex"])
  put(join(project, "web/refunds.ts"), "/** A refund shown to the customer. */\nexport const refund = 1\n")
  rmSync(join(project, "web/hash.ts"))
  cpSync(work, templates.used, { recursive: true, preserveTimestamps: true })
}

function put(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, text)
}

function git(folder: string): void {
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"],
  ])
    spawnSync("git", args, { cwd: folder, env: environment() })
}

function restore(from: "bare" | "used"): void {
  rmSync(work, { recursive: true, force: true })
  cpSync(templates[from], work, { recursive: true, preserveTimestamps: true })
}

function environment(): Record<string, string> {
  return {
    HOME: join(work, "home"),
    PATH: process.env["PATH"] ?? "",
    TMPDIR: temporary,
    GIT_CONFIG_NOSYSTEM: "1",
    OLLAMA_HOST: "127.0.0.1:9",
  }
}

function must(args: readonly string[]): void {
  const ran = aman(args)
  if (ran.status !== 0) throw new Error(`aman ${args.join(" ")}: ${summary(ran)}`)
}

function again(name: string): Ran {
  const { args, stdin } = COMMANDS[name]!
  return aman(args, stdin)
}

function aman(args: readonly string[], stdin = ""): Ran {
  return run(binary, args, stdin)
}

function trace(
  name: string,
  flags: readonly string[],
  log: string,
): { readonly ran: Ran; readonly ms: number } {
  const { args, stdin } = COMMANDS[name]!
  const start = performance.now()
  const ran = run(
    "strace",
    ["-f", "-y", "-qq", "--seccomp-bpf", "-o", log, ...flags, binary, ...args],
    stdin ?? "",
  )
  return { ran, ms: Math.round(performance.now() - start) }
}

function run(command: string, args: readonly string[], input: string): Ran {
  const options = {
    cwd: join(work, "project"),
    env: environment(),
    input,
    encoding: "utf8",
    timeout: HANG_MS,
    killSignal: "SIGKILL",
  } as const
  const { status, signal, stdout, stderr } = spawnSync(command, args, options)
  return { status, signal, stdout: stdout ?? "", stderr: stderr ?? "" }
}

function mayTrace(): boolean {
  if (process.platform !== "linux" || Bun.which("strace") === null) return false
  return (
    spawnSync("strace", [
      "-f",
      "--seccomp-bpf",
      "-qq",
      "-e",
      "trace=fsync",
      "-e",
      "inject=fsync:error=EIO",
      "true",
    ]).status === 0
  )
}

function paths(json: Json): unknown {
  return json.results?.map(({ path }: Json) => path).sort()
}

function messages(): string {
  const call = (id: number, name: string, args: object) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args },
  })
  const clientInfo = { name: "faults", version: "1" }
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
  return [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    call(2, "search", { query: "refund" }),
    call(3, "remember", { text: "Invoices carry a number" }),
    call(4, "recall", { query: "ledger" }),
  ]
    .map((message) => `${JSON.stringify(message)}\n`)
    .join("")
}
