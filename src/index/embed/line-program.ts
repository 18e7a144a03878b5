import { type ChildProcessByStdio, spawn } from "node:child_process"
import { basename, dirname } from "node:path"
import type { Readable, Writable } from "node:stream"
import {
  AmanError,
  type Config,
  endGroup,
  findProgram,
  memoryOfGroup,
  pathOutsideProjects,
} from "../../base/index.ts"

type ProgramLimits = {
  /** Time limit of one answer in ms. */
  readonly timeoutMs: number
  /** Maximum resident memory in bytes of the program and its children; checked on Linux only. */
  readonly maxMemoryBytes: number
  /** True for a part of a failed request: if it fails too, this does not count towards MAX_FAILURES. */
  readonly isRetry?: boolean
}

type ProgramProcess = ChildProcessByStdio<Writable, Readable, Readable>
type Running = { readonly child: ProgramProcess; readonly output: ProgramOutput; errorOutput: string }

/**
 * Maximum number of characters that a program may write until the next request, in any number of lines. An answer with 256
 * vectors of 8,192 numbers takes about half of it.
 */
const MAX_ANSWER_CHARS = 64 * 1024 ** 2
const MAX_ERROR_CHARS = 300
/** Interval in ms at which the memory of the program is checked during a request. */
const WATCH_MS = 250
/** After this many failures in a row, the program gets no requests for REST_MS, because each start takes time. */
const MAX_FAILURES = 3
const REST_MS = 30_000

/** One instance per command, so that all callers share the process of the program. */
const programs = new Map<string, LineProgram>()

export function lineProgram(command: string): LineProgram {
  const program = programs.get(command) ?? new LineProgram(command)
  programs.set(command, program)
  return program
}

/**
 * Ends the programs when SIGINT or SIGTERM ends this process: they run in sessions of their own, so that Ctrl-C does not
 * reach them. A command that handles these signals itself ends them when it exits.
 */
function endProgramsOnSignal(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    if (process.listenerCount(signal) > 0) continue
    process.once(signal, () => {
      for (const program of programs.values()) program.end()
      process.kill(process.pid, signal)
    })
  }
}

/**
 * A program that the user has configured. It is a child process that reads one JSON request per line and writes one
 * JSON answer per line. It is started for the first request, and again for a request after it has ended. Only one
 * request is sent at a time. docs/programs.md describes the protocol.
 */
class LineProgram {
  readonly name: string
  readonly #words: readonly string[]
  #running: Running | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #id = 0
  #failures = 0
  #restUntil = 0

  constructor(command: string) {
    this.#words = commandWords(command)
    this.name = programName(command)
  }

  /** True while the program gets no requests, because it has failed too often. */
  get isResting(): boolean {
    return performance.now() < this.#restUntil
  }

  /** Sends a request and returns the answer. Throws EMBEDDER if there is no answer, or if it has a field "error". */
  ask(request: object, limits: ProgramLimits): Promise<Record<string, unknown>> {
    const answer = this.#turn.then(() => this.#ask(request, limits))
    this.#turn = answer.catch(() => {})
    return answer.then((given) => {
      if (typeof given["error"] !== "string") return given
      throw this.#error(`answered with an error: ${given["error"].slice(0, MAX_ERROR_CHARS)}`)
    })
  }

  async #ask(request: object, limits: ProgramLimits): Promise<Record<string, unknown>> {
    if (this.isResting)
      throw this.#error(`failed ${MAX_FAILURES} times in a row and is asked again in ${REST_MS / 1000} s`)
    const running = this.#running ?? this.#start()
    const id = ++this.#id
    const { child } = running
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => {})
    const fail = (message: string, hint?: string) =>
      ended.reject(this.#error(message, running.errorOutput, hint))
    const late = () => fail(`did not answer within ${limits.timeoutMs / 1000} s`)
    const timer = setTimeout(late, limits.timeoutMs)
    // Output without pause keeps timers waiting, so the time is checked with each part of it, too.
    const deadline = performance.now() + limits.timeoutMs
    const checkTime = () => {
      if (performance.now() > deadline) late()
    }
    const watch = setInterval(() => {
      if (memoryOfGroup(child.pid) > limits.maxMemoryBytes)
        fail(`took more than ${Math.round(limits.maxMemoryBytes / 1024 ** 2)} MiB of memory`)
    }, WATCH_MS)
    const onError = () => fail("could not be started", "check that the file exists and may be executed")
    const onExit = (code: number | null, signal: string | null) =>
      fail(`ended before it answered (${code === null ? signal : `exit code ${code}`})`)
    child.once("error", onError)
    child.once("close", onExit)
    try {
      const answered = running.output.answerTo(id, fail, checkTime)
      child.stdin.write(`${JSON.stringify({ id, ...request })}\n`)
      const answer = await Promise.race([answered, ended.promise])
      this.#failures = 0
      return answer
    } catch (error) {
      // The program is ended, because its next line might be the late answer to this request.
      this.end()
      if (limits.isRetry !== true) this.#countFailure()
      throw error
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
      child.off("error", onError)
      child.off("close", onExit)
    }
  }

  #start(): Running {
    const [name = "", ...args] = this.#words
    const program = findProgram(name)
    if (program === null)
      throw this.#error(
        "is not found: write its absolute path, or a name that is on PATH outside of the project",
      )
    const child = spawn(program, args, {
      cwd: dirname(program),
      env: ownEnvironment(),
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    })
    const running: Running = {
      child,
      output: new ProgramOutput(child, () => endGroup(child)),
      errorOutput: "",
    }
    endProgramsOnSignal()
    const kill = () => endGroup(child)
    process.once("exit", kill)
    child.once("close", () => {
      process.removeListener("exit", kill)
      if (this.#running === running) this.#running = null
    })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stderr.on("data", (part: Buffer) => {
      running.errorOutput = (running.errorOutput + part.toString("utf8")).slice(-MAX_ERROR_CHARS)
    })
    // A running program does not keep aman running; the timer of a request does.
    child.unref()
    for (const stream of [child.stdin, child.stdout, child.stderr])
      (stream as { unref?: () => void }).unref?.()
    this.#running = running
    return running
  }

  /** Ends the process of the program; the next request starts it again. */
  end(): void {
    const running = this.#running
    this.#running = null
    if (running !== null) endGroup(running.child)
  }

  #countFailure(): void {
    if (++this.#failures < MAX_FAILURES) return
    this.#failures = 0
    this.#restUntil = performance.now() + REST_MS
  }

  #error(
    what: string,
    errorOutput = "",
    hint = "docs/programs.md describes what it has to answer",
  ): AmanError {
    const words = errorOutput.trim().replace(/\s+/g, " ")
    return new AmanError("EMBEDDER", `the program ${this.name} ${what}`, {
      hint: words === "" ? hint : `its last words: ${words}`,
    })
  }
}

type Waiting = {
  readonly id: number
  readonly answer: (answer: Record<string, unknown>) => void
  readonly fail: (message: string) => void
  readonly checkTime: () => void
}

/**
 * Finds the answer to the current request in what a program writes, and keeps nothing else of it. Calls `end` when the
 * program writes too much, also between two requests.
 */
class ProgramOutput {
  #waiting: Waiting | null = null
  #line: string[] = []
  #chars = 0
  readonly #end: () => void

  constructor({ stdout, stderr }: ProgramProcess, end: () => void) {
    this.#end = end
    stdout.setEncoding("utf8")
    stdout.on("data", (part: string) => {
      if (this.#count(part)) this.#take(part)
    })
    stderr.on("data", (part: Buffer) => this.#count(part))
  }

  /** The answer with this id. Calls `fail` for output that is none, and `checkTime` for each part of the output. */
  answerTo(
    id: number,
    fail: Waiting["fail"],
    checkTime: Waiting["checkTime"],
  ): Promise<Record<string, unknown>> {
    this.#chars = 0
    return new Promise((answer) => {
      this.#waiting = { id, answer, fail, checkTime }
    })
  }

  /** False if the program has written too much. */
  #count({ length }: { readonly length: number }): boolean {
    this.#waiting?.checkTime()
    this.#chars += length
    if (this.#chars <= MAX_ANSWER_CHARS) return true
    this.#waiting?.fail(`wrote more than ${MAX_ANSWER_CHARS / 1024 ** 2} MiB`)
    this.#waiting = null
    this.#line = []
    this.#end()
    return false
  }

  #take(part: string): void {
    const [endOfLine = "", ...nextLines] = part.split("\n")
    this.#line.push(endOfLine)
    for (const line of nextLines) {
      this.#takeLine(this.#line.join(""))
      this.#line = [line]
    }
  }

  #takeLine(line: string): void {
    if (this.#waiting === null) return
    const { id, answer, fail } = this.#waiting
    const value = parseAnswer(line)
    if (value !== null && value["id"] !== id) return
    this.#waiting = null
    if (value === null) fail("wrote a line that is no JSON object")
    else answer(value)
  }
}

function parseAnswer(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Splits a command into words. Quotes keep words with blanks together. No shell interprets the command. */
export function commandWords(command: string): string[] {
  return Array.from(
    command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain!,
  )
}

const INTERPRETER = /^(?:bun|deno|java|node|perl|php|pwsh|python[\d.]*|ruby|uv|(?:ba|z)?sh)(?:\.exe)?$/i

/** The name of a program in messages: of its script if the command names an interpreter, otherwise of its first word. */
export function programName(command: string | readonly string[]): string {
  const [first = "", ...rest] = typeof command === "string" ? commandWords(command) : command
  const name = basename(first)
  const script = INTERPRETER.test(name) ? rest.find((word) => /^[^-].*[./\\]/.test(word)) : undefined
  return script === undefined ? name : basename(script)
}

/** The environment for the program: the user's, without the variables of aman, which may contain keys. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:AMAN_.*|PATH)$/i.test(name))
  return { ...Object.fromEntries(own), PATH: pathOutsideProjects() }
}

/** A place that a search program found. `line` is 1-based; null if the program names only the file. */
type ProgramPlace = { readonly path: string; readonly line: number | null }

/** Maximum number of places that are requested from the search program. */
const MAX_PLACES = 20

/**
 * Asks the user's search program for places in the folder `root`, and returns them best first. Throws EMBEDDER if the
 * program does not answer, or if its answer has another form.
 */
export async function askSearcher(
  { program, timeoutMs, programMemoryBytes }: Config["searcher"],
  root: string,
  query: string,
): Promise<ProgramPlace[]> {
  const limits = { timeoutMs, maxMemoryBytes: programMemoryBytes }
  const answer = await lineProgram(program).ask({ op: "search", root, query, limit: MAX_PLACES }, limits)
  const places = Array.isArray(answer["results"]) ? answer["results"].map(parsePlace) : [null]
  if (!places.includes(null)) return (places as ProgramPlace[]).slice(0, MAX_PLACES)
  throw new AmanError("EMBEDDER", `the program ${programName(program)} gave no list of places`, {
    hint: "docs/programs.md describes the answer",
  })
}

function parsePlace(value: unknown): ProgramPlace | null {
  const { path, line = null } = (value ?? {}) as { path?: unknown; line?: unknown }
  if (typeof path !== "string" || path === "") return null
  if (line === null) return { path, line }
  return typeof line === "number" && Number.isInteger(line) && line > 0 ? { path, line } : null
}
