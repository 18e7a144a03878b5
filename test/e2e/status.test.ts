import { expect, test } from "bun:test"
import { rmSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { Workspace } from "./harness.ts"
import { indexedBefore } from "./killed-index.ts"

test("lists what is not indexed with its reason, and what is skipped for one reason", async () => {
  using space = new Workspace({
    ".gitignore": "build/\n*.log\n",
    ".amanignore": "private/\n",
    "src/a.ts": "export const a = 1\n",
    "src/__snapshots__/a.test.ts.snap": "exports[`a 1`] = `1`\n",
    "package-lock.json": "{}\n",
    "logo.png": "not a picture\n",
    "build/out.js": "1\n",
    "debug.log": "x\n",
    "private/b.ts": "export const b = 2\n",
    ".env": "KEY=value\n",
    "data.txt": "a\0\0\0b\n",
  })
  const lines = [
    "excluded       private",
    "ignored        build",
    "ignored        debug.log",
    "lock file      package-lock.json",
    "media          logo.png",
    "secret         .env",
    "test snapshot  src/__snapshots__/a.test.ts.snap",
  ]
  // Without an index, files that are skipped for their content are not listed yet.
  expect(await space.run(["status", "--skipped"])).toMatchObject({ code: 0, stdout: `${lines.join("\n")}\n` })
  await space.json(["index"])
  expect((await space.run(["status", "--skipped"])).stdout).toBe(
    `${["binary         data.txt", ...lines].join("\n")}\n`,
  )
  expect(await space.json(["status", "--skipped", "lock file"])).toEqual({
    skipped: [{ path: "package-lock.json", reason: "lock file" }],
  })
  const wrong = await space.run(["status", "--skipped", "medai"])
  expect(wrong).toMatchObject({ code: 2, stdout: "" })
  expect(wrong.stderr).toContain('did you mean "media"?')
})

test("--check exits by freshness: incomplete without an index, stale with the changed files, else fresh", async () => {
  using space = new Workspace({
    "a.ts": "export const a = 1\n",
    "b.ts": "export const b = 1\n",
    "c.md": "# C\n",
  })
  const check = async () => {
    const { code, stdout } = await space.run(["status", "--check", "--json"])
    const { state, reasons } = JSON.parse(stdout)
    return [code, state, reasons]
  }
  expect(await check()).toEqual([6, "incomplete", [expect.stringContaining("run aman index")]])
  await space.json(["index"])
  expect(await check()).toEqual([0, "fresh", []])
  // As after a checkout: the same content with a new time.
  utimesSync(join(space.project, "a.ts"), 1_000_000_000, 1_000_000_000)
  expect(await check()).toEqual([0, "fresh", []])
  space.write("a.ts", "export const a = 2\n")
  space.write("src/d.ts", "export const d = 1\n")
  rmSync(join(space.project, "c.md"))
  expect(await check()).toEqual([5, "stale", ["changed: a.ts", "new: src/d.ts", "deleted: c.md"]])
  const shown = await space.run(["status", "--check"])
  expect(shown).toMatchObject({
    code: 5,
    stdout: "stale\n  changed: a.ts\n  new: src/d.ts\n  deleted: c.md\n",
  })
  expect(await space.run(["status", "--check", "-q"])).toMatchObject({ code: 5, stdout: "" })
  await space.json(["index"])
  space.write(".amanignore", "src/\n")
  expect(await check()).toEqual([5, "stale", ["new: .amanignore", "deleted: src/d.ts"]])
})

test("describes the project before the first index as after it", async () => {
  using space = new Workspace({
    "package.json": "{}\n",
    "web/app.ts": "export const app = 1\n".repeat(20),
    "docs/README.md": "# Text\n",
  })
  const { state, project } = await space.json(["status"])
  expect(state).toBe("missing")
  await space.json(["index"])
  expect((await space.json(["status"])).project).toEqual(project)
  expect(project.source_folders).toEqual(["web"])
})

test("an index run says how long each of its phases took", async () => {
  using space = new Workspace({
    "src/a.ts": "export function a() {\n  return 1\n}\n",
    "notes.md": "# Notes\n\nA text.\n",
  })
  const { phases_ms } = await space.json(["index"])
  const phases = "scan read parse references words chunk write merge rank history vectors".split(" ")
  expect(Object.keys(phases_ms).sort()).toEqual(phases.sort())
  for (const ms of Object.values(phases_ms)) expect(ms).toBeGreaterThanOrEqual(0)
  // Nothing has changed.
  expect(Object.keys((await space.json(["index"])).phases_ms)).toEqual(["scan"])
  const { stdout } = await space.run(["index", "--force", "--verbose"])
  expect(stdout).toMatch(/^times {6}scan [\d.]+ m?s, read [\d.]+ m?s, parse .*, vectors [\d.]+ m?s/m)
  expect((await space.run(["index", "--force"])).stdout).not.toContain("times")
})

test("after an interrupted first run, status says so, and describes the whole project", async () => {
  using space = new Workspace({ "pyproject.toml": "[project]\nname = 'late'\n" })
  const body = "  total = total + handle(total)\n".repeat(40)
  for (let i = 0; i < 400; i++) space.write(`web/m${i}.js`, `export function work${i}(total) {\n${body}}\n`)
  for (let i = 0; i < 800; i++) space.write(`zoo/p${i}.py`, `def work${i}(total):\n${body}`)
  await indexedBefore(space, space.project, "web/m0.js")
  const { state, project, notices } = await space.json(["status"])
  expect([state, project]).toEqual(["indexing", { type: "Python", source_folders: ["zoo", "web"] }])
  expect(notices).toEqual([expect.stringContaining("was interrupted; aman index")])
  expect((await space.run(["status"])).stdout).toMatch(/^index +incomplete, /m)
  await space.json(["index"])
  expect(await space.json(["status"])).toMatchObject({ state: "ready", project, notices: [] })
})
