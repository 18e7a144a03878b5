import { expect, test } from "bun:test"
import type { Change } from "../planned-change.ts"
import { apply } from "./edit-text.ts"
import { NotEditable } from "./text-style.ts"

const program = { command: "aman", isAbsolute: false, isSame: (other: string) => other === "aman" }
const server: Change = { kind: "server", key: "mcpServers", shape: "typed", program }
const hooks: Change = { kind: "hook", dialect: "claude-code", program, platform: "linux" }
const table: Change = { kind: "server", key: "mcp_servers", shape: null, program }
const section: Change = { kind: "section", text: "## aman\n" }

test.each([
  ["not JSON", '{ "a": 1,, }', server, "it is not JSON", 1],
  [
    "a list of servers",
    '{\n  "mcpServers": []\n}',
    server,
    '"mcpServers" is an array, but must be an object',
    2,
  ],
  ["another server of that name", '{"mcpServers":{"aman":{"command":"x"}}}', server, "another server", 1],
  ["two of one name", '{"mcpServers":{},"mcpServers":{}}', server, "occurs 2 times", null],
  ["a list at the top", "[]", server, "the file is an array", 1],
  ["events that are no list", '{"hooks":{"Stop":{}}}', hooks, '"Stop" is an object', 1],
  ["deep nesting", "[".repeat(200_000), server, "nested too deeply", null],
  ["not TOML", "a = \n", table, "it is not TOML: Expected value", 1],
  [
    "a table that cannot grow",
    'mcp_servers = { x = { command = "y" } }\n',
    table,
    "does not allow adding a table",
    1,
  ],
  ["servers that are none", "mcp_servers = 1\n", table, "mcp_servers is not a table", 1],
  ["one mark only", "# x\n<!-- aman:start -->\n", section, "exactly once, in this order", 2],
] as const)("refused: %s", (_, text, change, message, line) => {
  const refused = caught(() => apply(text, [change]))
  expect(refused).toBeInstanceOf(NotEditable)
  expect((refused as NotEditable).message).toContain(message)
  expect((refused as NotEditable).line).toBe(line)
})

function caught(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
