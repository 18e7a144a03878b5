/**
 * Every test: first those of the sources, then, with a binary as new as they are, those that drive it.
 *
 *   bun scripts/test.ts [part of a test file's path ...]
 *
 * The last line is "N passed, N failed".
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

// A machine of two cores that also builds, indexes and starts servers; unit tests stay far below.
const TIMEOUT_MS = 60_000

type Tally = { readonly passed: number; readonly failed: number }

const project = join(import.meta.dir, "..")
const binary = join(project, "dist", process.platform === "win32" ? "aman.exe" : "aman")

process.exitCode = runAll(process.argv.slice(2))

function runAll(filters: readonly string[]): number {
  if (!script("grammars.ts")) return 1
  const files = testFiles().filter(
    (file) => filters.length === 0 || filters.some((part) => file.includes(part)),
  )
  const endToEnd = files.filter((file) => file.startsWith("test/e2e/"))
  const tallies = [runTests(files.filter((file) => !endToEnd.includes(file)))]
  if (endToEnd.length > 0) {
    const isBuilt = !isStale() || script("compile.ts")
    tallies.push(isBuilt ? runTests(endToEnd) : { passed: 0, failed: endToEnd.length })
  }
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 || passed === 0 ? 1 : 0
}

function testFiles(): string[] {
  const found = new Bun.Glob("{src,scripts,grammars,test}/**/*.test.ts").scanSync(project)
  return [...found].map((path) => path.replaceAll("\\", "/")).sort()
}

function runTests(files: readonly string[]): Tally {
  if (files.length === 0) return { passed: 0, failed: 0 }
  const folder = mkdtempSync(join(tmpdir(), "aman-test-"))
  const report = join(folder, "report.xml")
  try {
    const options = ["--timeout", String(TIMEOUT_MS), "--reporter=junit", `--reporter-outfile=${report}`]
    const paths = files.map((file) => `./${file}`)
    const { status } = spawnSync(process.execPath, ["test", ...options, ...paths], {
      cwd: project,
      stdio: "inherit",
    })
    const tally = existsSync(report) ? readTally(readFileSync(report, "utf8")) : { passed: 0, failed: 0 }
    // A file that does not load, or a crash, fails no single test.
    return status === 0 || tally.failed > 0 ? tally : { ...tally, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readTally(report: string): Tally {
  const total = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? ""
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(total)?.[1] ?? 0)
  const failed = number("failures") + number("errors")
  return { passed: number("tests") - failed - number("skipped"), failed }
}

/** Whether anything the binary is made of is newer than it. */
function isStale(): boolean {
  if (!existsSync(binary)) return true
  const built = statSync(binary).mtimeMs
  const inputs = new Bun.Glob("{src,grammars,models}/**/*").scanSync(project)
  return [...inputs, "scripts/compile.ts", "scripts/workers.ts", "package-lock.json", "THIRD_PARTY_NOTICES"]
    .filter((path) => !path.endsWith(".test.ts"))
    .some((path) => statSync(join(project, path)).mtimeMs > built)
}

function script(name: string): boolean {
  return spawnSync(process.execPath, [join(import.meta.dir, name)], { stdio: "inherit" }).status === 0
}
