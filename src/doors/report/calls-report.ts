import type { RecordedCall } from "../../ask/index.ts"

const WINDOW_MS = 30 * 60_000
const ANSWERING: ReadonlySet<string> = new Set(["search", "context", "symbol"])
/** The hook that tells of the tools of the agent itself. */
const BEFORE_TOOL = "hook pre-tool-use"

type TimedCall = RecordedCall & { readonly ms: number; readonly paths: readonly string[] }

/**
 * What followed the answers that name files: reads, searches with the agent's own tools; `recorded` is newest first. `used`:
 * the answers whose files were read within WINDOW_MS, with these files.
 */
export function followed(recorded: readonly RecordedCall[]) {
  const calls = recorded.map((call): TimedCall => ({ paths: [], ...call, ms: Date.parse(call.at) })).reverse()
  const answers = calls.filter(({ tool, paths }) => ANSWERING.has(tool) && paths.length > 0)
  const isAfter = ({ ms }: TimedCall, answer: TimedCall) => ms >= answer.ms && ms <= answer.ms + WINDOW_MS
  const isSearch = ({ tool, paths }: TimedCall) => tool === BEFORE_TOOL && paths.length === 0
  const reads = calls
    .filter(({ tool, is_error }) => (tool === "read" || tool === BEFORE_TOOL) && !is_error)
    .flatMap((call) => call.paths.map((path) => ({ call, path })))
  const names = (answer: TimedCall, { call, path }: (typeof reads)[number]) =>
    isAfter(call, answer) && answer.paths.includes(path)
  return {
    answers: answers.length,
    reads: reads.length,
    reads_of_named: reads.filter((read) => answers.some((answer) => names(answer, read))).length,
    read_again: reads.length - new Set(reads.map(({ path }) => path)).size,
    searches_after: calls.filter(isSearch).filter((call) => answers.some((one) => isAfter(call, one))).length,
    used: answers.flatMap((answer) => {
      const files = new Set(reads.filter((read) => names(answer, read)).map(({ path }) => path))
      const query = /"(?:query|name)":("(?:[^"\\]|\\.)*")/.exec(answer.asked)?.[1]
      if (query === undefined || files.size === 0) return []
      return [{ query: JSON.parse(query) as string, tokens: answer.tokens, files: [...files] }]
    }),
  }
}

export function noCalls(isRecording: boolean): string {
  return `No calls are recorded${isRecording ? " for this project yet" : "; to allow it: aman config set ui.record_calls true"}`
}
