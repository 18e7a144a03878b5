import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

const plugin = join(import.meta.dir, "..", "..", "plugin")
const read = (path: string) => JSON.parse(readFileSync(join(plugin, path), "utf8"))
const onPath = (space: Workspace) => ({
  ...space.env,
  PATH: `${dirname(binary)}${delimiter}${space.env["PATH"]}`,
})

test("the server started by the Claude plugin lists its tools", async () => {
  using space = new Workspace(SHOP)
  const { command, args } = read(".mcp.json").mcpServers.aman
  const client = new Client({ name: "test", version: "1" })
  await client.connect(new StdioClientTransport({ command, args, cwd: space.project, env: onPath(space) }))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain("search")
  await client.close()
})

test.skipIf(process.platform === "win32")("each hook of the plugin is a command that succeeds", () => {
  using space = new Workspace(SHOP)
  const groups = Object.entries(read("hooks/hooks.json").hooks) as [
    string,
    { hooks: { command: string }[] }[],
  ][]
  expect(groups.length).toBeGreaterThan(5)
  for (const [event, [group]] of groups) {
    const { command } = group!.hooks[0]!
    const input = {
      session_id: "s",
      cwd: space.project,
      hook_event_name: event,
      tool_name: "Grep",
      tool_input: {},
    }
    const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", command], {
      cwd: space.project,
      env: onPath(space),
      stdin: Buffer.from(JSON.stringify(input)),
    })
    expect([command, exitCode, stderr.toString()]).toEqual([command, 0, ""])
  }
})
