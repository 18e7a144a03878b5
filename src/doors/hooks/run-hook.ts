import { writeSync } from "node:fs"
import { AmanError, log, logPath, logToFile, messageOf } from "../../base/index.ts"
import { lockWait } from "../../store/index.ts"
import { formatAnswer } from "./agents/answer-format.ts"
import { hookCall, parseJsonOrNull } from "./agents/hook-call.ts"
import { hookText } from "./events/hook-text.ts"
import { HOOK_EVENTS, type HookEvent } from "./hook-events.ts"
import { startWatchdog, type Watchdog } from "./watchdog.ts"

/**
 * Deadline in ms until the settings with the user's deadline are read. Includes the wait for input, which is
 * short because agents write their input at once and close stdin.
 */
const MAX_WAIT_MS = 2000
/**
 * Share of the deadline after which no further step begins; the rest of the time is for printing the results so far.
 */
const STEPS_PART = 0.8
/**
 * Max time in ms to wait for a database lock. A commit of another process takes about 1 ms; if a lock is held longer,
 * the hook does without the database.
 */
const MAX_LOCK_WAIT_MS = 20

/**
 * Runs `aman hook EVENT [--agent AGENT]` as an agent calls it: JSON on stdin, an answer or nothing on stdout.
 * Never fails and never writes to stderr, because agents show that to the user; problems are logged.
 */
export async function runHook(argv: readonly string[]): Promise<void> {
  log.isPrinted = false
  log.sinks.add(logToFile(logPath("hook")))
  lockWait.maxMs = MAX_LOCK_WAIT_MS
  process.on("uncaughtException", reportAndExit)
  process.on("unhandledRejection", reportAndExit)
  const watchdog = startWatchdog()
  if (watchdog?.isMovable) watchdog.endAfter(MAX_WAIT_MS - performance.now())
  const late = new Promise<null>((resolve) => setTimeout(resolve, MAX_WAIT_MS, null).unref())
  try {
    const answer = await Promise.race([answerEvent(argv, watchdog), late])
    if (answer !== null) writeStdout(answer)
  } catch (error) {
    reportError(error)
  }
}

async function answerEvent(argv: readonly string[], watchdog: Watchdog | null): Promise<string | null> {
  const text = await readInput()
  const { event, agent } = eventAndAgent(argv)
  if (text === null) throw new AmanError("USAGE", `${event}: stdin is larger than the limit`)
  const input = parseJsonOrNull(text)
  if (typeof input !== "object" || input === null)
    throw new AmanError("USAGE", `${event}: no JSON object on stdin`)
  const call = hookCall(event, agent, input, process.env)
  const answer = await hookText(call, {
    now: new Date(),
    msLeft: (deadlineMs) => STEPS_PART * deadlineMs - performance.now(),
    endAt: (deadlineMs) => watchdog?.endAfter(deadlineMs - performance.now()),
  })
  if (answer === null) return null
  const ms = Math.round(performance.now())
  log.info("answered", { event, agent: call.agent, characters: answer.length, ms })
  return formatAnswer(call, answer)
}

function eventAndAgent(argv: readonly string[]): { event: HookEvent; agent: string | null } {
  const at = argv.indexOf("--agent")
  const agent = at >= 0 ? argv[at + 1] : argv.find((word) => word.startsWith("--agent="))?.slice(8)
  const event = HOOK_EVENTS.find((known) => argv.includes(known))
  if (event === undefined)
    throw new AmanError("USAGE", `unknown event ${JSON.stringify(argv.join(" "))}`, {
      hint: "aman hook --help",
    })
  return { event, agent: agent ?? null }
}

/** Writes the text to stdout completely, unless the reader has closed the pipe. */
function writeStdout(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}

function reportError(error: unknown): void {
  const isKnown = error instanceof AmanError
  const message = messageOf(error)
  log[isKnown ? "warn" : "error"]("a hook printed nothing", {
    code: isKnown ? error.code : undefined,
    message,
  })
}

function reportAndExit(error: unknown): never {
  reportError(error)
  process.exit(0)
}

/** Max input in bytes. Larger input is no hook call, or it contains a whole file and is not worth reading. */
const MAX_BYTES = 8 << 20

/**
 * All of stdin as text; null if it is too large. It is read to the end even then, because the agent's write
 * would fail otherwise and count as a failure of the hook.
 */
async function readInput(): Promise<string | null> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of Bun.stdin.stream()) {
    bytes += part.length
    if (bytes <= MAX_BYTES) parts.push(part)
  }
  return bytes > MAX_BYTES ? null : Buffer.concat(parts).toString("utf8")
}
