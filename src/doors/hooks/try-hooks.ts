import { AmanError, compareTexts, nearest } from "../../base/index.ts"
import { formatAnswer } from "./agents/answer-format.ts"
import { hookCall } from "./agents/hook-call.ts"
import { type SampleOf, sampleCall } from "./agents/samples.ts"
import { noteFailed, noteFixed } from "./events/after-tool.ts"
import { hookText } from "./events/hook-text.ts"
import { HOOK_AGENTS, HOOK_EVENTS, type HookAgent, type HookEvent } from "./hook-events.ts"
import type { Clock } from "./hook-sources.ts"
import { HookSources } from "./hook-sources.ts"
import { SessionLog } from "./session-log.ts"

type TryOptions = {
  readonly cwd: string
  readonly agent: string | undefined
  readonly event: string | undefined
  readonly subject: string
}

/** Runs hooks on sample calls, each in its own session. */
export async function tryHooks({ cwd, agent: agentName, event: eventName, subject }: TryOptions) {
  const agent = agentName === undefined ? "claude-code" : oneOfKnown(HOOK_AGENTS, agentName, "agent")
  const events = eventName === undefined ? HOOK_EVENTS : [oneOfKnown(HOOK_EVENTS, eventName, "event")]
  const msLeft = () => Number.POSITIVE_INFINITY
  const clock: Clock = { now: new Date(), isTrial: true, msLeft, endAt: () => undefined }
  const sample = { cwd, ...subjects(cwd, clock, subject) }
  const tried = []
  for (const event of events) tried.push(await tryOne(agent, event, sample, clock))
  return tried
}

async function tryOne(agent: HookAgent, event: HookEvent, sample: Omit<SampleOf, "session">, clock: Clock) {
  const session = `test-${crypto.randomUUID()}`
  const input = sampleCall(agent, event, { ...sample, session })
  const call = hookCall(event, agent, input, {})
  const log = new SessionLog(call.session, clock.now.getTime())
  try {
    // Prepares the session's log: hooks report a passing test only after a failed one, and mention a fix at a stop
    // only after it happened.
    if (event === "post-tool-use") noteFailed(log, "npm test")
    if (event === "stop") noteFixed(log, "npm test", Number.MAX_SAFE_INTEGER)
    const started = performance.now()
    const text = await hookText(call, clock)
    const took_ms = Math.round((performance.now() - started) * 100) / 100
    return { event, agent, input, output: text === null ? "" : formatAnswer(call, text), text, took_ms }
  } finally {
    log.forget()
  }
}

function oneOfKnown<T extends string>(all: readonly T[], word: string, what: string): T {
  const found = all.find((each) => each === word)
  if (found !== undefined) return found
  const meant = nearest(word, all)
  throw new AmanError("USAGE", `no ${what} ${JSON.stringify(word)}`, {
    hint: meant ? `did you mean ${meant}?` : `one of ${all.join(", ")}`,
  })
}

/** Subjects for the sample calls: the given one, otherwise those of the newest entries. */
function subjects(cwd: string, clock: Clock, subject: string): Omit<SampleOf, "session" | "cwd"> {
  using sources = new HookSources(cwd, clock)
  const newest = [...sources.entries].sort((a, b) => compareTexts(b.revisedAt, a.revisedAt))
  const prompt =
    subject || `What about this: ${newest[0]?.text.slice(0, 300) ?? "how is it built and tested"}?`
  const isFile = /[./\\]/.test(subject) && !/[\s*^$()|]/.test(subject)
  const newestPath = newest.find(({ source }) => source?.path)?.source?.path ?? ""
  const namedPath = isFile ? subject : ""
  return { prompt, file: subject === "" ? newestPath : namedPath, pattern: subject || "main" }
}
