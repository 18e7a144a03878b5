import { expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { filesBelow, SetupHome } from "./setup-home.ts"

setDefaultTimeout(60_000)

const OTHERS = '{"mcpServers":{"other":{"command":"x"}}}'

test("a project gets the files that its clients read, and is restored by --remove", async () => {
  using home = new SetupHome(undefined, { "README.md": "# Shop\n", "CLAUDE.md": "# Shop\n" })
  const before = filesBelow(home.project)
  const run = await home.run(["setup", "claude-code", "vscode", "windsurf", "--project", "--yes"])
  expect(run).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Windsurf has no project settings"),
  })
  expect(JSON.parse(readFileSync(join(home.project, ".mcp.json"), "utf8")).mcpServers.aman.command).toBe(
    "aman",
  )
  const made = Object.keys(filesBelow(home.project))
  for (const path of [".vscode/mcp.json", ".claude/settings.json", "AGENTS.md"]) expect(made).toContain(path)
  expect(filesBelow(home.home)).toEqual({})
  await home.run(["setup", "--remove", "--project", "--yes"])
  expect(filesBelow(home.project)).toEqual(before)
})

test("writes nothing through a link that leads out of the project", async () => {
  using home = new SetupHome(undefined, { "README.md": "# Shop\n" })
  mkdirSync(home.at("outside"))
  home.put("outside/mcp.json", OTHERS)
  symlinkSync(home.at("outside/mcp.json"), join(home.project, ".mcp.json"))
  symlinkSync(home.at("outside"), join(home.project, ".claude"))
  symlinkSync(home.at("nowhere"), join(home.project, ".cursor"))
  mkdirSync(join(home.project, ".git"))
  writeFileSync(join(home.project, ".git/config"), "[core]\n")
  symlinkSync(".git/config", join(home.project, "AGENTS.md"))
  const run = await home.run(["setup", "claude-code", "cursor", "--project", "--yes", "--json"])
  expect(run.code).toBe(3)
  const { files } = JSON.parse(run.stdout)
  const refused = files
    .filter(({ state }: { state: string }) => state === "broken")
    .map(({ file }: { file: string }) => file)
  expect(refused).toContain(join(home.project, ".mcp.json"))
  expect(refused).toContain(join(home.project, ".claude/settings.json"))
  expect(refused).toContain(join(home.project, ".cursor/mcp.json"))
  expect(filesBelow(home.home)).toEqual({ "outside/mcp.json": OTHERS })
  expect(refused).toContain(join(home.project, "AGENTS.md"))
  expect(readFileSync(join(home.project, ".git/config"), "utf8")).toBe("[core]\n")
})
