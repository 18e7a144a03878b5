import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { HOOK_AGENTS, HOOK_EVENTS } from "../base/hook-events.ts"
import { answerOf } from "./answer.ts"
import { hookCall } from "./hook-call.ts"
import type { Json, JsonObject } from "./json.ts"

const call = (input: JsonObject, asked: string | null = null, env = {}) =>
  hookCall("pre-tool-use", asked, input, env)

describe("which agent calls is told by", () => {
  test("the command line", () => {
    expect(call({ hook_event_name: "PreToolUse" }, "codex").agent).toBe("codex")
  })
  test("Cursor's JSON, also where it runs the hooks of Claude Code", () => {
    expect(call({ cursor_version: "2.3.0" }, "claude-code").agent).toBe("cursor")
    expect(call({ conversation_id: "1", workspace_roots: ["/p"] }).agent).toBe("cursor")
  })
  test("the turn of Codex, the events and the time of Gemini CLI", () => {
    expect(call({ hook_event_name: "PreToolUse", turn_id: "1" }).agent).toBe("codex")
    expect(call({ hook_event_name: "BeforeAgent" }).agent).toBe("gemini-cli")
    expect(call({ hook_event_name: "SessionStart", timestamp: "2026-01-01" }).agent).toBe("gemini-cli")
  })
  test("the environment, where the JSON does not tell", () => {
    expect(call({}, null, { GEMINI_PROJECT_DIR: "/p", CLAUDE_PROJECT_DIR: "/p" }).agent).toBe("gemini-cli")
    expect(call({}).agent).toBe("claude-code")
  })
})

test("a folder that is not said is looked for elsewhere", () => {
  expect(call({ cwd: "", workspace_roots: ["/roots"] }).cwd).toBe("/roots")
  expect(call({}, null, { CURSOR_PROJECT_DIR: "/variable" }).cwd).toBe("/variable")
  expect(call({}).cwd).toBe("")
})

test("a sub-agent reads for itself", () => {
  const session = (input: JsonObject) => call(input).session
  expect(session({ session_id: "1", agent_id: "2" })).not.toBe(session({ session_id: "1" }))
})

test("what is marked as private is not read", () => {
  expect(call({ prompt: "fix it <private>password</private> now" }).prompt).toBe("fix it  now")
})

test("whatever is said is a call of some agent, and its answer is one line of JSON", () => {
  const keys = fc.constantFrom(
    ...[
      "session_id",
      "conversation_id",
      "cwd",
      "workspace_roots",
      "tool_name",
      "tool_input",
      "tool_response",
    ],
    ...["prompt", "hook_event_name", "source", "agent_id", "loop_count", "stop_hook_active", "command"],
  )
  const names = fc.constantFrom("Bash", "Read", "Grep", "apply_patch", "__proto__", "constructor", "Shell")
  const value = fc.oneof(fc.jsonValue(), names) as fc.Arbitrary<Json>
  fc.assert(
    fc.property(
      fc.dictionary(keys, value),
      fc.constantFrom(...HOOK_EVENTS),
      fc.constantFrom(null, ...HOOK_AGENTS),
      fc.string({ unit: "binary" }),
      (input, event, asked, text) => {
        const found = hookCall(event, asked, input, {})
        expect(HOOK_AGENTS).toContain(found.agent)
        const answer = answerOf(found, text)
        expect(answer.trimEnd()).not.toContain("\n")
        expect(typeof JSON.parse(answer)).toBe("object")
      },
    ),
    { numRuns: 300 },
  )
})
