import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { acceptsText } from "../../src/doors/hooks/agents/answer-format.ts"
import { HOOK_AGENTS, type HookEvent } from "../../src/doors/hooks/hook-events.ts"
import { DIALECTS } from "../../src/doors/setup/clients/hook-dialects.ts"
import { codexSchema, fits } from "./hook-schemas.ts"
import { type HookCalls, HookSpace } from "./hook-space.ts"

const GOLDEN = join(import.meta.dir, "../golden/hooks")
const FIXTURES = join(import.meta.dir, "../fixtures/hooks")
const UPDATE = Boolean(process.env["UPDATE_GOLDEN"])

describe.each(HOOK_AGENTS)("a session of %s", (agent) => {
  const calls = JSON.parse(readFileSync(join(FIXTURES, `${agent}.json`), "utf8")) as HookCalls
  const answers: string[] = []
  let space: HookSpace
  beforeAll(async () => {
    space = await HookSpace.make()
    for (const { event, input } of calls) {
      const { code, stdout, stderr } = await space.hook(event, input, agent)
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      answers.push(stdout)
    }
  })
  afterAll(() => space[Symbol.dispose]())

  test("gets exactly these texts", () => {
    const shown = calls
      .map(({ name, event }, i) => `## ${name} (${event})\n${readable(answers[i]!)}\n`)
      .join("\n")
    expectGolden(
      `${agent}.txt`,
      shown.replace(/\[[0-9a-z]{20}\]/g, "[ID]").replaceAll(space.project, "$PROJECT"),
    )
  })

  test("gets formats that it reads", () => {
    for (const [i, { input }] of calls.entries()) {
      if (answers[i] === "") continue
      const answer = JSON.parse(answers[i]!)
      const named = nameOf(input)
      if (agent === "codex") expect(fits(codexSchema(named), answer)).toBe(true)
      else expect(shapeOf(answer)).toEqual(SHAPES[agent]!(named))
    }
  })

  test("recognizes the agent without its name", async () => {
    const { event, input } = calls[0]!
    const { stdout } = await space.hook(event, { ...input, source: "clear" })
    expect(Object.keys(JSON.parse(stdout))).toEqual(Object.keys(JSON.parse(answers[0]!)))
  })
})

test("setup registers exactly the events with output", () => {
  for (const agent of HOOK_AGENTS) {
    const calls = JSON.parse(readFileSync(join(FIXTURES, `${agent}.json`), "utf8")) as HookCalls
    const spoken = calls
      .filter(({ event }) => acceptsText({ agent, event: event as HookEvent }))
      .map(({ event, input }) => `${nameOf(input)} ${event}`)
    const registered = DIALECTS[agent].events.map(({ name, event }) => `${name} ${event}`)
    expect(new Set(registered)).toEqual(new Set(spoken))
  }
})

/** The agent's name of the event; Copilot CLI sends none for a sub-agent. */
function nameOf(input: object): string {
  return (input as { readonly hook_event_name?: string }).hook_event_name ?? "subagentStart"
}

type Shape = Readonly<Record<string, unknown>>

const TEXT = "a text"
const SHAPES: Readonly<Record<string, (named: string) => Shape>> = {
  "claude-code": (hookEventName) => ({ hookSpecificOutput: { hookEventName, additionalContext: TEXT } }),
  "gemini-cli": (hookEventName) => ({ hookSpecificOutput: { hookEventName, additionalContext: TEXT } }),
  cursor: (named) => {
    if (named === "stop") return { followup_message: TEXT }
    return named === "beforeSubmitPrompt"
      ? { continue: true, additional_context: TEXT }
      : { additional_context: TEXT }
  },
  "copilot-cli": (named) =>
    named === "Stop" ? { decision: "block", reason: TEXT } : { additionalContext: TEXT },
}

/** The answer with placeholders for its texts, which the golden files check. */
function shapeOf(answer: object): object {
  const texts = new Set(["additionalContext", "additional_context", "followup_message", "reason"])
  return JSON.parse(JSON.stringify(answer), (key, value) => (texts.has(key) ? TEXT : value))
}

function readable(stdout: string): string {
  return stdout === "" ? "(nothing)" : JSON.stringify(JSON.parse(stdout), null, 1).replaceAll("\\n", "\n")
}

function expectGolden(name: string, found: string): void {
  mkdirSync(GOLDEN, { recursive: true })
  const path = join(GOLDEN, name)
  if (UPDATE) writeFileSync(path, found)
  expect(found).toBe(readFileSync(path, "utf8"))
}
