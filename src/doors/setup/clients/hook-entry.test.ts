import { expect, test } from "bun:test"
import { DIALECTS, type HookDialect } from "./hook-dialects.ts"
import { hookEntries } from "./hook-entry.ts"

const program = { command: "C:\\tools\\aman.exe", isAbsolute: true, isSame: () => true }
const entry = (dialect: HookDialect, platform: NodeJS.Platform) =>
  hookEntries({ kind: "hook", dialect, program, platform }).find(({ name }) =>
    /^stop$|^sessionstart$/i.test(name),
  )

test("gives Claude Code and Copilot CLI on Windows separate arguments, because of their shells; others get one line", () => {
  expect(entry("claude-code", "win32")?.handler).toEqual({
    command: "C:\\tools\\aman.exe",
    args: ["hook", "session-start", "--agent", "claude-code"],
  })
  expect(entry("copilot-cli", "win32")?.value).toEqual({
    exec: "C:\\tools\\aman.exe",
    args: ["hook", "session-start", "--agent", "copilot-cli"],
    timeout: 5,
  })
  expect(entry("codex", "win32")?.handler).toEqual({
    command: "C:\\tools\\aman.exe hook session-start --agent codex",
  })
})

test("gives Gemini CLI milliseconds and Cursor handlers without groups", () => {
  const timeouts = Object.entries(DIALECTS).map(([name, { timeout }]) => [name, timeout])
  expect(timeouts).toEqual([
    ["claude-code", 5],
    ["codex", 5],
    ["gemini-cli", 5000],
    ["cursor", 5],
    ["copilot-cli", 5],
  ])
  expect(Object.keys(entry("cursor", "linux")!.value)).toEqual(["command", "timeout"])
  expect(Object.keys(entry("gemini-cli", "linux")!.value)).toEqual(["hooks"])
})
