import { afterAll, describe, expect, test } from "bun:test"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import lock from "../package-lock.json" with { type: "json" }

const ROOT = join(import.meta.dir, "..")
const scratch = mkdtempSync(join(tmpdir(), "aman-install-scripts-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Files that install packages or change how npm does it. */
const INSTALLERS = [
  ".ci/run",
  ".goreleaser.yaml",
  ".github/workflows/ci.yml",
  ".github/workflows/release.yml",
]

test("the packages that have install scripts are the reason for this test", () => {
  const packages = Object.entries(lock.packages as Record<string, { hasInstallScript?: boolean }>)
  expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript).length).toBeGreaterThan(0)
  // Bun's own package works only after its script; scripts/launchers takes its place.
  expect(lock.packages["node_modules/bun"]).toEqual({ resolved: "scripts/launchers", link: true })
})

test("nothing here lets npm run them nevertheless", () => {
  const { scripts, allowScripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
  expect(allowScripts).toBeUndefined()
  const commands = [
    ...Object.values<string>(scripts),
    ...INSTALLERS.map((path) => readFileSync(join(ROOT, path), "utf8")),
  ]
  for (const text of commands) expect(text).not.toMatch(/ignore.scripts|npm rebuild|install\.js/)
})

describe.skipIf(Bun.which("npm") === null || Bun.which("tar") === null)("npm", () => {
  const marker = join(scratch, "ran")
  const project = join(scratch, "project")

  function npm(args: readonly string[], variables: Record<string, string> = {}): void {
    const env = { PATH: process.env["PATH"] ?? "", HOME: join(scratch, "home"), ...variables }
    const { exitCode, stderr } = Bun.spawnSync(["npm", ...args, "--offline"], { cwd: project, env })
    if (exitCode !== 0) throw new Error(`npm ${args.join(" ")}: ${stderr}`)
  }

  test("runs no script of a package with the settings of this project, and does without them", () => {
    const names = ["preinstall", "install", "postinstall"]
    const scripts = Object.fromEntries(names.map((name) => [name, `echo ${name} >> "${marker}"`]))
    mkdirSync(join(scratch, "package"))
    writeFileSync(
      join(scratch, "package", "package.json"),
      JSON.stringify({ name: "trap", version: "1.0.0", scripts }),
    )
    Bun.spawnSync(["tar", "-czf", "trap.tgz", "package"], { cwd: scratch })
    mkdirSync(project)
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ private: true, dependencies: { trap: "file:../trap.tgz" } }),
    )
    copyFileSync(join(ROOT, ".npmrc"), join(project, ".npmrc"))
    npm(["install"])
    expect(existsSync(join(project, "node_modules", "trap", "package.json"))).toBe(true)
    expect(existsSync(marker)).toBe(false)
    npm(["ci"], { npm_config_ignore_scripts: "false" })
    expect(readFileSync(marker, "utf8").split("\n")).toEqual([...names, ""])
  })
})
