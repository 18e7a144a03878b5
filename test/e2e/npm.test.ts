import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { TARGETS } from "../../scripts/targets.ts"
import { binary, Workspace } from "./harness.ts"

const scripts = join(import.meta.dir, "..", "..", "scripts")
const system = process.platform === "win32" ? "windows" : process.platform
const own = `aman-${system}-${process.arch}`
const launcher = "node_modules/aman/bin/aman.cjs"

describe.skipIf(Bun.which("npm") === null || process.platform === "win32")("the npm packages", () => {
  const space = new Workspace()
  const made = join(space.dir, "npm")

  beforeAll(() => {
    mkdirSync(join(space.dir, "dist"))
    linkOrCopy(binary, join(space.dir, "dist", own))
    const from = ["--from", join(space.dir, "dist"), "--out", made]
    must(["bun", join(scripts, "npm-packages.ts"), ...from], { GITHUB_REPOSITORY: "OWNER/aman" })
    // Packs as npm does, but without compression, because the program is large; npm accepts both.
    for (const name of ["aman", own]) must(["tar", "-cf", `${name}.tgz`, name], {}, made)
    writeFileSync(join(space.project, "package.json"), '{"private":true}\n')
    const npm = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error"]
    must([...npm, join(made, "aman.tgz"), join(made, `${own}.tgz`)])
  })
  afterAll(() => space[Symbol.dispose]())

  function must(command: readonly string[], env: Record<string, string> = {}, cwd = space.project): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env: { ...space.env, ...env } })
    if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}${stdout}`)
    return stdout.toString()
  }

  test("npx runs the program installed without a network", () => {
    expect(must(["npx", "--no-install", "aman", "version"])).toBe(must([binary, "version"]))
  })

  test("pass on arguments, streams and exit codes", async () => {
    space.write("a.py", "def limit_attempts(): pass\n")
    const ran = async (args: readonly string[], stdin: string) => {
      const child = Bun.spawn(["node", launcher, ...args], {
        cwd: space.project,
        env: space.env,
        stdin: new Blob([stdin]),
        stdout: "pipe",
        stderr: "pipe",
      })
      return { stdout: await child.stdout.text(), code: await child.exited }
    }
    const found = await ran(["search", "--json", "-"], "limit attempts")
    expect(JSON.parse(found.stdout).results[0].path).toBe("a.py")
    expect((await ran(["grep", "nowhere_at_all"], "")).code).toBe(1)
    expect((await ran(["nonsense"], "")).code).toBe(2)
  })

  test("stop the program when the launcher is stopped", async () => {
    const child = Bun.spawn(["node", launcher, "serve"], {
      cwd: space.project,
      env: space.env,
      stdin: "pipe",
      stdout: "pipe",
    })
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    }
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`)
    child.stdin.flush()
    const reader = child.stdout.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('"aman"')
    child.kill("SIGTERM")
    // The pipe closes only when the program itself has ended, not only the launcher.
    while (!(await reader.read()).done);
    expect(await child.exited).toBe(143)
  })

  test("explain what to do without the program for this system", () => {
    const moved = join(space.project, "node_modules", "@owner", own)
    rmSync(moved, { recursive: true })
    const run = (preload?: string) => {
      const args = preload === undefined ? [] : ["--require", preload]
      const { exitCode, stderr } = Bun.spawnSync(["node", ...args, launcher, "version"], {
        cwd: space.project,
        env: space.env,
      })
      return { exitCode, stderr: stderr.toString() }
    }
    expect(run()).toEqual({
      exitCode: 3,
      stderr: `aman: the program for this system is not installed (@owner/${own})
hint: npm leaves it out with --omit=optional, and where node_modules came from another system: run npm install again, here
`,
    })
    const elsewhere = join(space.dir, "elsewhere.cjs")
    writeFileSync(elsewhere, 'Object.defineProperty(process, "platform", { value: "sunos" })\n')
    expect(run(elsewhere).stderr).toStartWith(
      `aman: there is no aman for sunos on ${process.arch}\nhint: there is @owner/aman-linux-x64`,
    )
  })

  test("each package names its system, and the launcher depends on all of them in its own version", () => {
    const read = (name: string) => JSON.parse(readFileSync(join(made, name, "package.json"), "utf8"))
    const aman = read("aman")
    expect(Object.keys(aman.optionalDependencies)).toEqual(TARGETS.map(({ name }) => `@owner/aman-${name}`))
    expect(new Set(Object.values(aman.optionalDependencies))).toEqual(new Set([aman.version]))
    // The MCP registry identifies the package's owner by this field.
    expect(aman.mcpName).toBe("io.github.OWNER/aman")
    expect(read(own)).toMatchObject({ version: aman.version, os: [process.platform], cpu: [process.arch] })
    for (const paper of ["LICENSE", "THIRD_PARTY_NOTICES"])
      for (const name of ["aman", own]) expect(existsSync(join(made, name, paper))).toBe(true)
  })
})

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    Bun.spawnSync(["cp", from, to])
    chmodSync(to, 0o755)
  }
}
