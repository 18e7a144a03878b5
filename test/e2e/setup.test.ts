import { describe, expect, setDefaultTimeout, test } from "bun:test"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { binary } from "./harness.ts"
import { onTerminal } from "./on-terminal.ts"
import { filesBelow, SetupHome } from "./setup-home.ts"

setDefaultTimeout(60_000)

const OTHERS = '{"mcpServers":{"other":{"command":"x"}}}'

describe("plan and confirmation", () => {
  test("without a terminal and --yes, prints the plan, writes nothing and exits with 4", async () => {
    using home = new SetupHome("claude-code")
    const before = filesBelow(home.home)
    const { code, stdout } = await home.run(["setup", "claude-code"])
    expect(code).toBe(4)
    expect(stdout).toContain("~/.claude.json  claude-code mcp: change")
    expect(stdout).toContain('+    "aman": {')
    expect(stdout).toContain("nothing was written; to write without asking: --yes")
    expect(stdout).not.toContain("example-token-of-nobody")
    const dry = await home.run(["setup", "claude-code", "--dry-run", "--yes"])
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("--dry-run") })
    expect(filesBelow(home.home)).toEqual(before)
    expect(readdirSync(home.home).sort()).toEqual([".claude", ".claude.json"])
  })

  test("asks a person and writes only after yes", async () => {
    using home = new SetupHome()
    const ask = async (answer: string) => {
      const asked = await onTerminal(
        home,
        ["setup", "cursor", "--only", "mcp"],
        {},
        { to: "[y/N]", typed: answer },
      )
      return {
        code: asked.code,
        text: Bun.stripANSI(asked.written),
        files: Object.keys(filesBelow(home.home)),
      }
    }
    expect(await ask("n\n")).toMatchObject({ code: 4, files: [] })
    expect(await ask("\u0004")).toMatchObject({ code: 4, files: [] })
    const yes = await ask("y\n")
    expect(yes).toMatchObject({ code: 0, files: [".cursor/mcp.json"] })
    expect(yes.text).toContain("Write this file? [y/N]")
    expect(yes.text).toContain("Cursor: enable the server")
  })

  test("finds clients by their folder or their program, and says if there are none", async () => {
    using home = new SetupHome()
    expect(await home.run(["setup"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("claude-code"),
    })
    mkdirSync(home.at(".codex"))
    home.program("gemini")
    const plan = JSON.parse((await home.run(["setup", "--json"])).stdout)
    expect(plan.clients.map(({ id, found }: { id: string; found: string }) => [id, found])).toEqual([
      ["codex", home.at(".codex")],
      ["gemini-cli", join(home.bin, "gemini")],
    ])
    expect(plan).toMatchObject({ scope: "user", applied: false })
    expect(await home.run(["setup", "claud-code"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean claude-code?"),
    })
  })

  test("adds and removes single parts", async () => {
    using home = new SetupHome("claude-code")
    const before = filesBelow(home.home)
    await home.run(["setup", "claude-code", "--yes", "--only", "hooks,permissions"])
    expect(Object.keys(filesBelow(home.home))).toEqual(Object.keys(before))
    expect(home.text(".claude/settings.json")).toContain("aman hook stop")
    await home.run(["setup", "claude-code", "--remove", "--yes", "--no-permissions"])
    expect(home.text(".claude/settings.json")).not.toContain("aman hook")
    expect(home.text(".claude/settings.json")).toContain("Bash(aman search:*)")
    await home.run(["setup", "claude-code", "--remove", "--yes"])
    expect(filesBelow(home.home)).toEqual(before)
    expect((await home.run(["setup", "--only", "mpc"])).code).toBe(2)
  })
})

describe("a person's files", () => {
  test("a backup is kept and named, and no later one replaces it", async () => {
    using home = new SetupHome("zed")
    const first = home.text(".config/zed/settings.json")
    const run = async (...args: string[]) =>
      JSON.parse((await home.run(["setup", "zed", "--yes", "--json", ...args])).stdout)
    const { files } = await run()
    expect(readFileSync(files[0].backup, "utf8")).toBe(first)
    expect(statSync(files[0].backup).mode & 0o777).toBe(0o600)
    await run("--remove")
    await run()
    expect(readFileSync(files[0].backup, "utf8")).toBe(first)
  })

  test("mode and links stay: the target of a dotfile manager's link is written", async () => {
    using home = new SetupHome()
    mkdirSync(home.at("dotfiles"))
    home.put("dotfiles/mcp.json", OTHERS)
    chmodSync(home.at("dotfiles/mcp.json"), 0o600)
    mkdirSync(home.at(".cursor"))
    symlinkSync("../dotfiles/mcp.json", home.at(".cursor/mcp.json"))
    expect((await home.run(["setup", "cursor", "--yes", "--only", "mcp"])).code).toBe(0)
    expect(lstatSync(home.at(".cursor/mcp.json")).isSymbolicLink()).toBe(true)
    expect(home.text("dotfiles/mcp.json")).toContain('"aman"')
    expect(statSync(home.at("dotfiles/mcp.json")).mode & 0o777).toBe(0o600)
    await home.run(["setup", "cursor", "--remove", "--yes", "--only", "mcp"])
    expect(home.text("dotfiles/mcp.json")).toBe(OTHERS)
  })

  test.each([
    ["not JSON", '{ "mcpServers": { }', "it is not JSON", 1],
    ["a list", '{\n "mcpServers": [] }', "is an array, but must be an object", 2],
    ["UTF-16", Buffer.from("\ufeff{}", "utf16le").toString("latin1"), "it is not UTF-8 text", null],
  ])(
    "broken: %s is reported with the text to insert by hand, and the others are written",
    async (_, text, message, line) => {
      using home = new SetupHome()
      mkdirSync(home.at(".cursor"))
      writeFileSync(home.at(".cursor/mcp.json"), text, "latin1")
      const run = await home.run(["setup", "cursor", "windsurf", "--yes", "--json", "--only", "mcp"])
      expect(run.code).toBe(3)
      const [broken, done] = JSON.parse(run.stdout).files
      expect(broken).toMatchObject({ state: "broken", backup: null, problem: { line } })
      expect(broken.problem.message).toContain(message)
      expect(JSON.parse(broken.problem.by_hand).mcpServers.aman.args).toEqual(["serve"])
      expect(done).toMatchObject({ state: "create" })
      expect(readFileSync(home.at(".cursor/mcp.json"), "latin1")).toBe(text)
    },
  )

  test("a file that cannot be written is a failure, and the others are written", async () => {
    using home = new SetupHome()
    mkdirSync(home.at(".cursor"))
    symlinkSync(home.at("gone.json"), home.at(".cursor/mcp.json"))
    mkdirSync(home.at(".codeium/windsurf/mcp_config.json"), { recursive: true })
    const run = await home.run(["setup", "cursor", "windsurf", "zed", "--yes", "--json", "--only", "mcp"])
    expect(run.code).toBe(3)
    expect(JSON.parse(run.stdout).files.map(({ state }: { state: string }) => state)).toEqual([
      "broken",
      "create",
      "broken",
    ])
  })

  test("variables of clients change the place of their settings", async () => {
    using home = new SetupHome()
    const env = {
      CLAUDE_CONFIG_DIR: home.at("c"),
      CODEX_HOME: home.at("x"),
      XDG_CONFIG_HOME: home.at("xdg"),
    }
    await home.run(["setup", "claude-code", "codex", "zed", "--yes", "--only", "mcp"], { env })
    expect(Object.keys(filesBelow(home.home))).toEqual([
      "c/.claude.json",
      "x/config.toml",
      "xdg/zed/settings.json",
    ])
  })

  test("without aman on the PATH its full path is written, which stays valid when it is there", async () => {
    using home = new SetupHome()
    const away = { env: { PATH: "/nowhere" } }
    await home.run(["setup", "codex", "claude-code", "--yes"], away)
    expect(home.text(".codex/config.toml")).toContain(`command = ${JSON.stringify(binary)}`)
    expect(home.text(".claude/settings.json")).toContain(`${binary} hook stop --agent claude-code`)
    expect((await home.run(["setup", "codex", "--only", "mcp,hooks"])).stdout).toContain("nothing to change")
    home.put(".codex/config.toml", home.text(".codex/config.toml").replace(binary, "/gone/aman"))
    await home.run(["setup", "gemini-cli", "--yes"])
    const gemini = home.text(".gemini/settings.json")
    home.put(".gemini/settings.json", gemini.replace("{", '{ "hooksConfig": { "enabled": false },'))
    const { stdout } = await home.run(["doctor"])
    expect(stdout).toMatch(
      /^warning +client +Gemini CLI: set up, but its hooks are disabled: hooksConfig.enabled is false/m,
    )
    expect(stdout).toMatch(/^warning +client +Codex: its settings start a different aman program/m)
    expect(stdout).toMatch(/^ok +client +Claude Code: set up, with hooks/m)
    await home.run(["setup", "codex", "--yes"])
    expect(home.text(".codex/config.toml")).toContain('command = "aman"')
  })

  test("hooks that Codex does not trust yet do not run, and doctor says so", async () => {
    using home = new SetupHome()
    await home.run(["setup", "codex", "--yes"])
    const codex = async () => (await home.run(["doctor"])).stdout.match(/client +(Codex: .*)/)?.[1]
    expect(await codex()).toBe(
      "Codex: set up, but hooks for 6 of its events do not run: Codex waits for you to trust them",
    )
    // The form in which Codex 0.169.0 stores it.
    const trust = (event: string) =>
      `[hooks.state."${join(home.home, ".codex", "hooks.json")}:${event}:0:0"]\ntrusted_hash = "sha256:2c4d"\n\n`
    const events = ["pre_tool_use", "post_tool_use", "session_start", "user_prompt_submit", "subagent_start"]
    const settings = `${home.text(".codex/config.toml")}\n[hooks.state]\n\n${events.map(trust).join("")}`
    home.put(".codex/config.toml", settings)
    expect(await codex()).toContain("but hooks for 1 of its events")
    home.put(".codex/config.toml", settings + trust("stop"))
    expect(await codex()).toBe("Codex: set up, with hooks")
  })

  test("a section shared by several clients is removed with the last of them", async () => {
    using home = new SetupHome()
    const project = (...args: string[]) =>
      home.run(["setup", "--project", "--yes", "--only", "instructions", ...args])
    await project("codex", "cursor")
    const agents = join(home.project, "AGENTS.md")
    expect(readFileSync(agents, "utf8").match(/aman:start/g)).toHaveLength(1)
    await project("codex", "--remove")
    expect(readFileSync(agents, "utf8")).toContain("aman:start")
    await project("cursor", "--remove")
    expect(readdirSync(home.project)).toEqual([])
  })

  test("a skill changed by a person is kept", async () => {
    using home = new SetupHome()
    await home.run(["setup", "claude-code", "--yes", "--only", "skill"])
    const path = ".claude/skills/aman/SKILL.md"
    home.put(path, `${home.text(path)}mine\n`)
    for (const args of [["--yes"], ["--remove", "--yes"]]) {
      const { files } = JSON.parse(
        (await home.run(["setup", "claude-code", "--json", "--only", "skill", ...args])).stdout,
      )
      expect(files[0].state).toBe("kept")
    }
    expect(home.text(path)).toEndWith("mine\n")
    expect(Object.keys(filesBelow(home.home))).toEqual([path])
  })
})
