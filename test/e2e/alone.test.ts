import { expect, test } from "bun:test"
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

/**
 * A command prefix that removes network access; empty where the system does not allow this to an ordinary
 * process.
 */
const offline: readonly string[] =
  Bun.spawnSync(["unshare", "-rn", "true"]).exitCode === 0 ? ["unshare", "-rn"] : []

test(`the binary alone, in an empty folder, without settings${offline.length > 0 ? " and network" : ""}, can do everything`, async () => {
  using shop = new Workspace(SHOP)
  const folder = join(shop.dir, "elsewhere")
  mkdirSync(folder)
  copyFileSync(binary, join(folder, "aman"))
  const run = async (...args: string[]) => {
    const child = Bun.spawn([...offline, "env", "-i", `HOME=${shop.home}`, join(folder, "aman"), ...args], {
      cwd: folder,
      stdout: "pipe",
      stderr: "pipe",
    })
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect({ code: await child.exited, stderr }).toEqual({ code: 0, stderr: "" })
    return JSON.parse(stdout)
  }
  const report = await run("index", "--root", shop.project, "--json", "--quiet")
  expect(report).toMatchObject({
    files: 7,
    languages: { go: 2, typescript: 2, python: 1, markdown: 1 },
    notices: [],
  })
  expect(report.embedding.dimensions).toBeGreaterThan(0)
  const question = "how many failed logins before the account is locked"
  const { results } = await run("search", "--root", shop.project, "--json", "--mode", "semantic", question)
  expect(results.slice(0, 2).map(({ path }: { path: string }) => path)).toContain("web/login.ts")
  // All files it made are in the project; nothing is beside the binary or unpacked into the home folder.
  expect(readdirSync(folder)).toEqual(["aman"])
  expect(existsSync(join(shop.project, ".aman"))).toBe(true)
  const leftInHome = readdirSync(shop.home, { recursive: true }).map(String)
  expect(leftInHome.filter((path) => /\.(wasm|node|scm|so)$/.test(path))).toEqual([])
})
