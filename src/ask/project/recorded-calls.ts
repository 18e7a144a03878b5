import { readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { appendPrivate, OpenFolder, replaceFile, userDataDir } from "../../base/index.ts"

/** A call of an agent, kept on this machine alone while `ui.record_calls` is set. */
export type RecordedCall = {
  /** ISO instant. */
  readonly at: string
  /** Name of the client as it gave it to the server. */
  readonly client: string
  readonly tool: string
  /** Root of the project that was served. */
  readonly root: string
  /**
   * The call's arguments as JSON, cut to a maximum length. Texts to be stored in the memory are left out, and everything
   * if it may contain a credential.
   */
  readonly asked: string
  readonly took_ms: number
  /** Approximate number of tokens of the answer. */
  readonly tokens: number
  /** Number of results; null if the tool's answer has no list of results. */
  readonly results: number | null
  readonly is_error: boolean
  /** Files that the answer names, or that the agent reads, at most 20; absent: none. */
  readonly paths?: readonly string[]
}

const TEXTS = ["at", "client", "tool", "root", "asked"] as const

const MAX_BYTES = 2_000_000
const MAX_AGE_MS = 30 * 24 * 3_600_000
const NAME = "calls.jsonl"

/**
 * Appends a call to the record, after removing old calls if the file is too large. Returns false if it could not be
 * written.
 */
export function recordCall(call: RecordedCall): boolean {
  const line = `${JSON.stringify(call)}\n`
  try {
    using folder = OpenFolder.open(recordFolder(), { make: 0o700 })
    const path = join(folder.at, NAME)
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) + line.length > MAX_BYTES)
      keepNewestHalf(path, call.at)
    appendPrivate(path, line)
    return true
  } catch {
    return false
  }
}

/** The calls of a project's agents, newest first, none older than 30 days at the instant `now`. */
export function recordedCalls(root: string, now: string): RecordedCall[] {
  try {
    return recentCalls(readFileSync(recordPath(), "utf8"), now)
      .filter((call) => call.root === root)
      .reverse()
  } catch {
    // The file does not exist: no call was recorded yet.
    return []
  }
}

/** Sums of calls, which are newest first: by tool, of the memory's tools and of hooks. */
export function sumsOf(calls: readonly RecordedCall[]) {
  const tokensOf = (tools: RegExp) =>
    calls.reduce((sum, { tool, tokens }) => sum + (tools.test(tool) ? tokens : 0), 0)
  const tools = [...Map.groupBy(calls, ({ tool }) => tool)].map(([tool, own]) => ({
    ...{ tool, calls: own.length, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) },
    failed: own.filter(({ is_error }) => is_error).length,
  }))
  return {
    ...{ calls: calls.length, first: calls.at(-1)?.at ?? null, last: calls[0]?.at ?? null },
    tools: tools.sort((a, b) => b.tokens - a.tokens),
    memory_tokens: tokensOf(/^(?:remember|recall|knowledge)$/),
    hook_tokens: tokensOf(/^hook /),
  }
}

/** Removes calls that are too old from the record; removes all calls unless `isKept`. */
export function cleanRecord(isKept: boolean, now: string): void {
  const path = recordPath()
  if (!isKept) {
    rmSync(path, { force: true })
    return
  }
  const first = firstLine(path)
  if (first !== null && isOld(first, now)) keepNewestHalf(path, now)
}

export function recordPath(): string {
  return join(recordFolder(), NAME)
}

/**
 * Shortens the file to the newest calls, half of its maximum size. A call that another process appends at the same
 * time may be lost.
 */
function keepNewestHalf(path: string, now: string): void {
  const lines = recentCalls(readFileSync(path, "utf8"), now).map((call) => `${JSON.stringify(call)}\n`)
  let bytes = 0
  let first = lines.length
  while (first > 0 && bytes + lines[first - 1]!.length <= MAX_BYTES / 2) bytes += lines[--first]!.length
  replaceFile(path, lines.slice(first).join(""))
}

function recentCalls(text: string, now: string): RecordedCall[] {
  return text.split("\n").flatMap((line) => {
    const call = parseRecordedCall(line)
    return call === null || isOld(call, now) ? [] : [call]
  })
}

function firstLine(path: string): RecordedCall | null {
  try {
    return parseRecordedCall(readFileSync(path, "utf8").split("\n", 1)[0]!)
  } catch {
    return null
  }
}

function parseRecordedCall(line: string): RecordedCall | null {
  if (line === "") return null
  try {
    const call = JSON.parse(line) as RecordedCall
    const { took_ms, tokens, results, is_error, paths = [] } = call
    const isCall =
      TEXTS.every((name) => typeof call[name] === "string") &&
      [took_ms, tokens, results ?? 0].every(Number.isFinite) &&
      (Array.isArray(paths) ? paths : [null]).every((path) => typeof path === "string") &&
      typeof is_error === "boolean"
    return isCall ? call : null
  } catch {
    return null
  }
}

function isOld({ at }: RecordedCall, now: string): boolean {
  return Date.parse(now) - Date.parse(at) > MAX_AGE_MS
}

function recordFolder(): string {
  return join(userDataDir(), "calls")
}
