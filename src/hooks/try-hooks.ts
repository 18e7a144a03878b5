import { AmanError } from "../base/errors.ts"
import { HOOK_AGENTS, HOOK_EVENTS, type HookAgent, type HookEvent } from "../base/hook-events.ts"
import { nearest } from "../base/nearest.ts"
import { noteFailed, noteFixed } from "./after-tool.ts"
import { answerOf } from "./answer.ts"
import type { Clock } from "./clock.ts"
import { hookCall } from "./hook-call.ts"
import { HookPlace } from "./place.ts"
import { type SampleOf, sampleCall } from "./samples.ts"
import { Session } from "./session.ts"
import { speak } from "./speak.ts"

type Asked = {
  readonly cwd: string
  readonly agent: string | undefined
  readonly event: string | undefined
  readonly subject: string
}

/** What would be said here to sample calls, each in a session of its own. */
export async function tryHooks({ cwd, agent: named, event: asked, subject }: Asked) {
  const agent = named === undefined ? "claude-code" : known(HOOK_AGENTS, named, "agent")
  const events = asked === undefined ? HOOK_EVENTS : [known(HOOK_EVENTS, asked, "event")]
  const clock: Clock = { now: new Date(), isPast: () => false }
  const sample = { cwd, ...subjects(cwd, clock, subject) }
  const tried = []
  for (const event of events) tried.push(await tryOne(agent, event, sample, clock))
  return tried
}

async function tryOne(agent: HookAgent, event: HookEvent, sample: Omit<SampleOf, "session">, clock: Clock) {
  const session = `test-${crypto.randomUUID()}`
  const input = sampleCall(agent, event, { ...sample, session })
  const call = hookCall(event, agent, input, {})
  const own = new Session(call.session, clock.now.getTime())
  try {
    // Nothing is said of a test that never failed, nor at an end where nothing was fixed.
    if (event === "post-tool-use") noteFailed(own, "npm test")
    if (event === "stop") noteFixed(own, "npm test", Number.MAX_SAFE_INTEGER)
    const started = performance.now()
    const text = await speak(call, clock)
    const took_ms = Math.round((performance.now() - started) * 100) / 100
    return { event, agent, input, output: text === null ? "" : answerOf(call, text), text, took_ms }
  } finally {
    own.forget()
  }
}

function known<T extends string>(all: readonly T[], word: string, what: string): T {
  const found = all.find((each) => each === word)
  if (found !== undefined) return found
  const meant = nearest(word, all)
  throw new AmanError("USAGE", `no ${what} ${JSON.stringify(word)}`, {
    hint: meant ? `did you mean ${meant}?` : `one of ${all.join(", ")}`,
  })
}

/** What was named; else what the newest notes are about, so that there is something to show. */
function subjects(cwd: string, clock: Clock, subject: string): Omit<SampleOf, "session" | "cwd"> {
  using place = new HookPlace(cwd, clock)
  const newest = [...place.entries].sort((a, b) => (a.revisedAt < b.revisedAt ? 1 : -1))
  const prompt =
    subject || `What about this: ${newest[0]?.text.slice(0, 300) ?? "how is it built and tested"}?`
  const isFile = /[./\\]/.test(subject) && !/[\s*^$()|]/.test(subject)
  const file =
    subject === "" ? newest.find(({ source }) => source?.path)?.source?.path : isFile ? subject : ""
  return { prompt, file: file ?? "", pattern: subject || "main" }
}
