import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import { HOOK_AGENTS, HOOK_EVENTS } from "../hook-events.ts"
import { formatAnswer } from "./answer-format.ts"
import type { Json, JsonObject } from "./hook-call.ts"
import { hookCall, toolCall } from "./hook-call.ts"

const call = (input: JsonObject, asked: string | null = null, env = {}) =>
  hookCall("pre-tool-use", asked, input, env)

describe("the calling agent is recognized by", () => {
  test("the command line", () => {
    expect(call({ hook_event_name: "PreToolUse" }, "codex").agent).toBe("codex")
  })
  test("Cursor's JSON, also where it runs the hooks of Claude Code", () => {
    expect(call({ cursor_version: "2.3.0" }, "claude-code").agent).toBe("cursor")
    expect(call({ conversation_id: "1", workspace_roots: ["/p"] }).agent).toBe("cursor")
  })
  test("the turn of Codex, the events and the transcript of Gemini CLI, the time of Copilot CLI", () => {
    expect(call({ hook_event_name: "PreToolUse", turn_id: "1" }).agent).toBe("codex")
    expect(call({ hook_event_name: "BeforeAgent" }).agent).toBe("gemini-cli")
    const begins = { hook_event_name: "SessionStart", timestamp: "2026-01-01" }
    expect(call({ ...begins, transcript_path: "/t" }).agent).toBe("gemini-cli")
    expect(call(begins).agent).toBe("copilot-cli")
    expect(call({ sessionId: "1", timestamp: 1, agentName: "explore" }).agent).toBe("copilot-cli")
  })
  test("the environment, where the JSON does not tell", () => {
    expect(call({}, null, { GEMINI_PROJECT_DIR: "/p", CLAUDE_PROJECT_DIR: "/p" }).agent).toBe("gemini-cli")
    expect(call({}).agent).toBe("claude-code")
  })
})

test("takes a missing folder from the environment", () => {
  expect(call({ cwd: "", workspace_roots: ["/roots"] }).cwd).toBe("/roots")
  expect(call({}, null, { CURSOR_PROJECT_DIR: "/variable" }).cwd).toBe("/variable")
  expect(call({}).cwd).toBe("")
})

test("marks a call of a sub-agent", () => {
  const session = (input: JsonObject) => call(input).session
  expect(session({ session_id: "1", agent_id: "2" })).not.toBe(session({ session_id: "1" }))
})

test("leaves out text marked as private", () => {
  expect(call({ prompt: "fix it <private>password</private> now" }).prompt).toBe("fix it  now")
})

test("reads any input as a call of some agent and answers with one line of JSON", () => {
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
        const answer = formatAnswer(found, text)
        expect(answer.trimEnd()).not.toContain("\n")
        expect(typeof JSON.parse(answer)).toBe("object")
      },
    ),
    { numRuns: 300 },
  )
})

function used(tool_name: string, tool_input: JsonObject | string) {
  const { kind, paths, pattern } = toolCall({ tool_name, tool_input })!
  return [kind, paths, pattern] as const
}

test("recognizes the tools of every agent by name", () => {
  expect(used("Read", { file_path: "/p/a.ts" })).toEqual(["file", ["/p/a.ts"], ""])
  expect(used("NotebookEdit", { notebook_path: "/p/a.ipynb" })).toEqual(["file", ["/p/a.ipynb"], ""])
  expect(used("Grep", { pattern: "parse.*", path: "/p" })).toEqual(["search", [], "parse.*"])
  expect(used("read_many_files", { paths: ["a.ts", 1, "b.ts"] })).toEqual(["file", ["a.ts", "b.ts"], ""])
  expect(used("search_file_content", { pattern: "x" })).toEqual(["search", [], "x"])
  expect(used("Read", '{"path":"/p/a.ts"}')).toEqual(["file", ["/p/a.ts"], ""])
  expect(used("mcp__aman__search", { query: "x" })).toEqual(["other", [], ""])
})

test("reads the file names of a patch", () => {
  const command = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** Add File: src/b.ts\n+x\n*** End Patch"
  expect(used("apply_patch", { command })).toEqual(["file", ["src/a.ts", "src/b.ts"], ""])
})

test("recognizes searches and reads among shell commands", () => {
  expect(used("Bash", { command: "rg -n 'parse Config' src | head" })).toEqual(["search", [], "parse Config"])
  expect(used("shell", { command: ["git", "grep", "-e", "needle"] })).toEqual(["search", [], "needle"])
  expect(used("shell", { command: "grep -A 3 --include '*.ts' needle ." })).toEqual(["search", [], "needle"])
  expect(used("exec_command", { cmd: "sed -n 1,40p src/a.ts" })).toEqual(["file", ["src/a.ts"], ""])
  expect(used("Bash", { command: "cat src/a.ts && rm x" })).toEqual(["file", ["src/a.ts"], ""])
  expect(used("shell", { command: ["bash", "-lc", "rg needle"] })).toEqual(["search", [], "needle"])
  expect(used("Bash", { command: "cd app && grep -rn needle ." })).toEqual(["search", [], "needle"])
  expect(used("Bash", { command: "cd app; cat a.ts | head" })).toEqual(["file", [join("app", "a.ts")], ""])
  expect(used("Bash", { command: "npm test" })).toEqual(["shell", [], ""])
})

describe("a tool has failed if", () => {
  const failed = (it: JsonObject) => toolCall({ tool_name: "Bash", tool_input: {}, ...it })!.failed
  test("its event says so", () => {
    expect(failed({ hook_event_name: "PostToolUseFailure", error: "Exit code 1" })).toBe(true)
    expect(failed({ hook_event_name: "PostToolUseFailure", is_interrupt: true })).toBeNull()
  })
  test("its code says so", () => {
    expect(failed({ tool_response: { stdout: "", exit_code: 2 } })).toBe(true)
    expect(failed({ tool_output: '{"output":"3 failed","exitCode":0}' })).toBe(false)
    expect(failed({ tool_response: { output: "x", metadata: { exit_code: 1 } } })).toBe(true)
    expect(failed({ tool_response: "Chunk ID: 1\nProcess exited with code 7\nFinal output:\n" })).toBe(true)
    const text_result_for_llm = "3 fail\n<exited with exit code 1>"
    expect(failed({ tool_result: { result_type: "success", text_result_for_llm } })).toBe(true)
    expect(failed({ tool_response: { llmContent: "Output: no\nExit Code: 101\nPGID: 3" } })).toBe(true)
  })
  test("its output says so, as behind a pipe", () => {
    expect(failed({ tool_response: { stdout: " 3 pass\n 2 fail\n2 failed", stderr: "" } })).toBe(true)
    expect(failed({ tool_response: { stdout: "0 failed, 12 passed", stderr: "" } })).toBe(false)
    expect(failed({ tool_response: "Tests: 12 passed" })).toBe(false)
  })
  test("is unknown before the tool ran and after it was stopped", () => {
    expect(failed({})).toBeNull()
    expect(failed({ tool_response: { stdout: "", interrupted: true } })).toBeNull()
  })
})
