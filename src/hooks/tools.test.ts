import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import type { JsonObject } from "./json.ts"
import { toolCall } from "./tools.ts"

function used(tool_name: string, tool_input: JsonObject | string) {
  const { kind, paths, pattern } = toolCall({ tool_name, tool_input })!
  return [kind, paths, pattern] as const
}

test("tools of every agent are known by their names", () => {
  expect(used("Read", { file_path: "/p/a.ts" })).toEqual(["file", ["/p/a.ts"], ""])
  expect(used("NotebookEdit", { notebook_path: "/p/a.ipynb" })).toEqual(["file", ["/p/a.ipynb"], ""])
  expect(used("Grep", { pattern: "parse.*", path: "/p" })).toEqual(["search", [], "parse.*"])
  expect(used("read_many_files", { paths: ["a.ts", 1, "b.ts"] })).toEqual(["file", ["a.ts", "b.ts"], ""])
  expect(used("search_file_content", { pattern: "x" })).toEqual(["search", [], "x"])
  expect(used("Read", '{"path":"/p/a.ts"}')).toEqual(["file", ["/p/a.ts"], ""])
  expect(used("mcp__aman__search", { query: "x" })).toEqual(["other", [], ""])
})

test("a patch names its files", () => {
  const command = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** Add File: src/b.ts\n+x\n*** End Patch"
  expect(used("apply_patch", { command })).toEqual(["file", ["src/a.ts", "src/b.ts"], ""])
})

test("a shell's command may be a search or a reading", () => {
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

describe("a tool failed where", () => {
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
    expect(failed({ tool_response: { llmContent: "Output: no\nExit Code: 101\nPGID: 3" } })).toBe(true)
  })
  test("its output says so, as behind a pipe", () => {
    expect(failed({ tool_response: { stdout: " 3 pass\n 2 fail\n2 failed", stderr: "" } })).toBe(true)
    expect(failed({ tool_response: { stdout: "0 failed, 12 passed", stderr: "" } })).toBe(false)
    expect(failed({ tool_response: "Tests: 12 passed" })).toBe(false)
  })
  test("and nobody can tell before it ran or when it was stopped", () => {
    expect(failed({})).toBeNull()
    expect(failed({ tool_response: { stdout: "", interrupted: true } })).toBeNull()
  })
})
