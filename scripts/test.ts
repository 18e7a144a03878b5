/**
 * Runs all tests: first the unit tests, then those that run the binary, which is built first if it is older than the
 * sources.
 *
 *   bun scripts/test.ts [part of a test file's path ...]
 *
 * The last line is "N passed, N failed".
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { homeVariables, ownEnvironment } from "../test/own-environment.ts"

// Enough for a machine of two cores that also builds, indexes and starts servers; unit tests take far less.
const TIMEOUT_MS = 60_000
// A test that computes without end ignores that timeout. All unit tests together take 5 minutes on two cores, those that
// run the binary 10.
const LIMIT_MINUTES = 30
// The tests had at most 610 MB of temporary files at one time.
const SCRATCH_BYTES = 4e9

type Tally = { readonly passed: number; readonly failed: number; readonly failures: readonly string[] }

const project = join(import.meta.dir, "..")
const binary = join(project, "dist", process.platform === "win32" ? "aman.exe" : "aman")

process.exitCode = await runAll(process.argv.slice(2))

async function runAll(filters: readonly string[]): Promise<number> {
  if (!script("grammars.ts")) return 1
  const files = testFiles().filter(
    (file) => filters.length === 0 || filters.some((part) => file.includes(part)),
  )
  const endToEnd = files.filter((file) => file.startsWith("test/e2e/"))
  const tallies = [await runTests(files.filter((file) => !endToEnd.includes(file)))]
  if (endToEnd.length > 0) {
    const isBuilt = !isStale() || script("compile.ts")
    tallies.push(
      isBuilt ? await runTests(endToEnd) : { passed: 0, failed: endToEnd.length, failures: ["no binary"] },
    )
  }
  // Printed last, so that a log that is cut off still shows them.
  for (const failure of tallies.flatMap(({ failures }) => failures)) console.log(`failed: ${failure}`)
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 || passed === 0 ? 1 : 0
}

function testFiles(): string[] {
  const found = new Bun.Glob("{src,packages,scripts,grammars,test}/**/*.test.ts").scanSync(project)
  return [...found].map((path) => path.replaceAll("\\", "/")).sort()
}

async function runTests(files: readonly string[]): Promise<Tally> {
  if (files.length === 0) return { passed: 0, failed: 0, failures: [] }
  const folder = mkdtempSync(join(scratchFolder(), "aman-test-"))
  // A database server cannot run as root; another user must then reach the files below.
  chmodSync(folder, 0o711)
  const report = join(folder, "report.xml")
  const home = join(folder, "home")
  const running = join(folder, "running")
  const temporary = join(folder, "tmp")
  mkdirSync(running)
  mkdirSync(temporary)
  setTraps(home)
  const before = filesIn(home)
  try {
    const options = [
      // One more than there are cores, because many tests wait for a process that waits itself.
      `--parallel=${availableParallelism() + 1}`,
      // The slow files first, so that none is alone at the end. Milliseconds as --update-timings writes them.
      `--timings=${join(project, "test/slow-files.json")}`,
      "--timeout",
      String(TIMEOUT_MS),
      "--reporter=junit",
      `--reporter-outfile=${report}`,
    ]
    const paths = files.map((file) => `./${file}`)
    const runner = spawn(process.execPath, ["test", ...options, ...paths], {
      cwd: project,
      stdio: "inherit",
      env: {
        ...ownEnvironment(home, process.env),
        // Turned off, because the runtime would write its cache to the home folder as if a test had done so.
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
        AMAN_TEST_RUNNING: running,
        ...(process.platform === "win32" ? {} : { TMPDIR: temporary }),
      },
    })
    const { status, unfinished } = await endOf(runner, running)
    const touched = differences(before, filesIn(home)).map(
      (path) => `a test wrote to the home of the person who runs it: ${path}`,
    )
    const tally = readTally(existsSync(report) ? readFileSync(report, "utf8") : "")
    const failed = tally.failed + touched.length + unfinished.length
    const failures = [...tally.failures, ...touched, ...unfinished]
    if (status === 0 || failed > 0) return { passed: tally.passed, failed, failures }
    // A file that cannot be loaded, or a crash, makes no single test fail.
    return { passed: tally.passed, failed: 1, failures: [`the test runner ended with exit code ${status}`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Where the tests have their temporary files: in memory if the system has a folder there with enough room, because
 * they wait for the disk otherwise, each time that a store is written through to it.
 */
function scratchFolder(): string {
  const inMemory = "/dev/shm"
  if (process.env["TMPDIR"] !== undefined || process.platform !== "linux" || !existsSync(inMemory))
    return tmpdir()
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize < SCRATCH_BYTES ? tmpdir() : inMemory
}

type Ended = { readonly status: number | null; readonly unfinished: readonly string[] }

/**
 * Waits for the test runner. After LIMIT_MINUTES its processes are killed, and the files that they were running, which
 * test/preload.ts writes to `running` by process id, are its failures.
 */
async function endOf(runner: ChildProcess, running: string): Promise<Ended> {
  const unfinished: string[] = []
  const limit = setTimeout(() => {
    for (const pid of readdirSync(running)) {
      const file = readFileSync(join(running, pid), "utf8")
      unfinished.push(`not finished after ${LIMIT_MINUTES} minutes: ${file}`)
      tryToKill(Number(pid))
    }
    if (unfinished.length === 0) unfinished.push(`not finished after ${LIMIT_MINUTES} minutes`)
    runner.kill("SIGKILL")
  }, LIMIT_MINUTES * 60_000)
  const status = await new Promise<number | null>((resolve) => runner.on("exit", resolve))
  clearTimeout(limit)
  return { status, unfinished }
}

function tryToKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}

/**
 * Fills the home folder that the test runner gets. Each test gets another one (test/preload.ts). A test that
 * reads this one nevertheless finds settings that aman and git reject, and files that it writes here are found
 * after the run.
 */
function setTraps(home: string): void {
  const { XDG_CONFIG_HOME, APPDATA } = homeVariables(home) as { XDG_CONFIG_HOME: string; APPDATA: string }
  for (const folder of [XDG_CONFIG_HOME, APPDATA, join(home, ".config")]) {
    mkdirSync(join(folder, "aman"), { recursive: true })
    writeFileSync(join(folder, "aman", "config.yaml"), "a test read the settings of the person who runs it\n")
  }
  writeFileSync(join(home, ".gitconfig"), "a test read the git configuration of the person who runs it\n")
}

function filesIn(home: string): Map<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  )
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? {}
      return [path, `${mtimeMs} ${size}`]
    }),
  )
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path))
}

function readTally(report: string): Tally {
  const total = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? ""
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(total)?.[1] ?? 0)
  const failed = number("failures") + number("errors")
  const cases = report.matchAll(/<testcase name="([^"]*)"[^>]*? file="([^"]*)"[^>]*>\s*<(?:failure|error)\b/g)
  const failures = [...cases].map(([, name, file]) => `${file}: ${name}`)
  return { passed: number("tests") - failed - number("skipped"), failed, failures }
}

/** True if a file that is part of the binary is newer than it. */
function isStale(): boolean {
  if (!existsSync(binary)) return true
  const built = statSync(binary).mtimeMs
  const inputs = new Bun.Glob("{src,packages,grammars,models,docs}/**/*").scanSync(project)
  return [
    ...inputs,
    "README.md",
    "scripts/compile.ts",
    "scripts/workers.ts",
    "package-lock.json",
    "THIRD_PARTY_NOTICES",
  ]
    .filter((path) => !path.endsWith(".test.ts"))
    .some((path) => statSync(join(project, path)).mtimeMs > built)
}

function script(name: string): boolean {
  return spawnSync(process.execPath, [join(import.meta.dir, name)], { stdio: "inherit" }).status === 0
}
