import { expect, setDefaultTimeout, test } from "bun:test"
import { parse as parseToml } from "@decimalturn/toml-patch"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { parse as parseJson } from "jsonc-parser"
import { binary } from "./harness.ts"
import { SHOP } from "./sample.ts"
import { SetupHome } from "./setup-home.ts"

setDefaultTimeout(60_000)

const ENTRIES: readonly (readonly [client: string, file: string, key: string])[] = [
  ["claude-code", ".claude.json", "mcpServers"],
  ["claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers"],
  ["cursor", ".cursor/mcp.json", "mcpServers"],
  ["vscode", ".config/Code/User/mcp.json", "servers"],
  ["codex", ".codex/config.toml", "mcp_servers"],
  ["gemini-cli", ".gemini/settings.json", "mcpServers"],
  ["antigravity-cli", ".gemini/config/mcp_config.json", "mcpServers"],
  ["copilot-cli", ".copilot/mcp-config.json", "mcpServers"],
  ["opencode", ".config/opencode/opencode.jsonc", "mcp"],
  ["zed", ".config/zed/settings.json", "context_servers"],
  ["windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers"],
  ["devin", ".config/devin/config.json", "mcpServers"],
]

test.each(ENTRIES)("%s: its command starts a server that lists its tools", async (client, file, key) => {
  using home = new SetupHome(client)
  await home.run(["setup", client, "--yes", "--only", "mcp"])
  const text = home.text(file)
  const settings = file.endsWith(".toml") ? parseToml(text) : parseJson(text.replace("\ufeff", ""))
  const entry = settings[key].aman
  const [command, ...args] = [entry.command, entry.args ?? []].flat(2)
  const server = new Client({ name: client, version: "1" }, { capabilities: {} })
  await server.connect(new StdioClientTransport({ command, args, cwd: home.project, env: home.env }))
  const { tools } = await server.listTools()
  await server.close()
  expect(tools.map(({ name }) => name)).toContain("search")
})

test.each([
  ["claude-code", ".claude/settings.json", /^mcp__aman__(.+)$/],
  ["antigravity-cli", ".gemini/antigravity-cli/settings.json", /^mcp\(aman\/(.+)\)$/],
])(
  "%s: permits only tools that exist and only read, among them all that are usually listed",
  async (client, file, form) => {
    using home = new SetupHome()
    await home.run(["setup", client, "--yes", "--only", "permissions"])
    const { permissions } = JSON.parse(home.text(file))
    const allowed: string[] = permissions.allow.flatMap((entry: string) => form.exec(entry)?.[1] ?? [])
    const usual = await readingTools(home, [])
    const all = await readingTools(home, ["--tools", "full"])
    expect(usual.filter((name) => !allowed.includes(name))).toEqual([])
    expect(allowed.filter((name) => !all.includes(name))).toEqual([])
  },
)

async function readingTools(home: SetupHome, flags: readonly string[]): Promise<string[]> {
  const server = new Client({ name: "test", version: "1" }, { capabilities: {} })
  await server.connect(
    new StdioClientTransport({
      command: binary,
      args: ["serve", ...flags],
      cwd: home.project,
      env: home.env,
    }),
  )
  const { tools } = await server.listTools()
  await server.close()
  return tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name)
}

/** An entry for an event: a handler itself, or a group with a list of handlers. */
type Entry = { readonly command: string; readonly hooks?: readonly { readonly command: string }[] }

const HOOKS: readonly (readonly [client: string, file: string])[] = [
  ["claude-code", ".claude/settings.json"],
  ["codex", ".codex/hooks.json"],
  ["gemini-cli", ".gemini/settings.json"],
  ["cursor", ".cursor/hooks.json"],
  ["copilot-cli", ".copilot/hooks/aman.json"],
]

test.each(HOOKS)(
  "%s: every hook runs in the shell, and session start prints something",
  async (client, file) => {
    using home = new SetupHome(client, SHOP)
    await home.json(["index"])
    await home.run(["setup", client, "--yes", "--only", "hooks"])
    const { hooks } = parseJson(home.text(file))
    const written = Object.entries<Entry[]>(hooks).flatMap(([name, entries]) => {
      const handlers = entries.flatMap((entry) => entry.hooks ?? [entry])
      const ours = handlers.filter(({ command }) => command.includes("aman hook"))
      return ours.map(({ command }) => ({ name, command }))
    })
    expect(written.length).toBeGreaterThanOrEqual(3)
    for (const { name, command } of written) {
      const call = {
        session_id: "s1",
        cwd: home.project,
        hook_event_name: name,
        source: "startup",
        prompt: "refunds",
      }
      const tool = { tool_name: "Read", tool_input: { file_path: `${home.project}/billing/refund.go` } }
      const child = Bun.spawn(["/bin/sh", "-c", command], {
        cwd: home.project,
        env: home.env,
        stdin: new Blob([JSON.stringify({ ...call, ...tool })]),
        stdout: "pipe",
        stderr: "pipe",
      })
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
      expect({ name, code: await child.exited, stderr }).toEqual({ name, code: 0, stderr: "" })
      if (stdout !== "") expect(typeof JSON.parse(stdout)).toBe("object")
      if (/^sessionStart$/i.test(name)) expect(stdout).toContain("aman-context")
    }
  },
)
