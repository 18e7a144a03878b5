import { expect, test } from "bun:test"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
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
  // All files it made are in the project; nothing is beside the binary, and of what it embeds only the native library is
  // unpacked, into the data folder.
  expect(readdirSync(folder)).toEqual(["aman"])
  expect(existsSync(join(shop.project, ".aman"))).toBe(true)
  const leftInHome = readdirSync(shop.home, { recursive: true }).map(String)
  const unpacked = leftInHome.filter((path) => /\.(wasm|node|scm|so)$/.test(path))
  expect(unpacked.filter((path) => !/\/native\/usearch-\w+\.node$/.test(path))).toEqual([])
})

// To report a crash, the runtime starts curl. It does so by itself on some systems, and on Linux if certain variables
// are set, which this test does.
test.skipIf(process.platform !== "linux")(
  "a crash is reported to nobody, whatever the environment asks for",
  async () => {
    using shop = new Workspace(SHOP)
    const sent = join(shop.dir, "sent")
    const bin = join(shop.dir, "bin")
    mkdirSync(bin)
    writeFileSync(join(bin, "curl"), `#!/bin/sh\necho sent >>${sent}\n`, { mode: 0o755 })
    const PATH = `${bin}:${process.env["PATH"]}`
    const switchedOff = `import { neverReportCrashes } from "${join(import.meta.dir, "../../src/store/crash-reports.ts")}"; neverReportCrashes()`
    for (const [program, ...args] of [
      [process.execPath, "-e", `${switchedOff}; console.log(1); await Bun.stdin.text()`],
      [binary, "serve"],
      [process.execPath, "-e", "console.log(1); await Bun.stdin.text()"],
    ]) {
      for (const asked of [{}, { BUN_CRASH_REPORT_URL: "http://127.0.0.1:9" }]) {
        const child = Bun.spawn([program!, ...args], {
          cwd: shop.project,
          env: { ...shop.env, PATH, BUN_ENABLE_CRASH_REPORTING: "1", ...asked },
          stdin: "pipe",
          stdout: "pipe",
          stderr: "pipe",
        })
        child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        await child.stdin.flush()
        // Its first output: the program is running.
        await child.stdout.getReader().read()
        child.kill("SIGSEGV")
        expect(await child.stderr.text()).toContain("Segmentation fault")
        await child.exited
      }
    }
    // The last of the three programs is Bun without our change. It sends a report both times, which shows that the test
    // can fail.
    const reports = () => (existsSync(sent) ? readFileSync(sent, "utf8") : "")
    while (reports().length < "sent\nsent\n".length) await Bun.sleep(20)
    expect(reports()).toBe("sent\nsent\n")
  },
)
