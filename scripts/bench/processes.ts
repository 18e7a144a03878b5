import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { IndexReport } from "../../src/app/answers.ts"
import { JIT_OPTIONS } from "../../src/base/reexec.ts"

export type Ran = {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** From the start of the process to its end. */
  readonly wallMs: number
  /** Time on processors, all threads together: tells the work from the waiting. */
  readonly cpuMs: number
  /** Largest resident memory; null where this system does not tell. */
  readonly peakBytes: number | null
}

const TIME = "/usr/bin/time"

export function run(
  argv: readonly string[],
  options: { readonly env?: Record<string, string>; readonly measurePeak?: boolean } = {},
): Ran {
  const measured = (options.measurePeak ?? false) && process.platform === "linux" && existsSync(TIME)
  // A child counts its parent's memory at the fork as its own peak; GNU time, small, stands in between.
  const command = measured ? [TIME, "-f", "%M", "--", ...argv] : [...argv]
  const started = performance.now()
  const child = Bun.spawnSync(command, { env: childEnv(options.env), stdout: "pipe", stderr: "pipe" })
  const wallMs = performance.now() - started
  const stderr = child.stderr.toString()
  const kib = Number(stderr.trimEnd().split("\n").at(-1))
  return {
    exitCode: child.exitCode,
    stdout: child.stdout.toString(),
    stderr,
    wallMs,
    // In µs; those of time's own child are among them.
    cpuMs: Number(child.resourceUsage?.cpuTime.total ?? 0) / 1000,
    peakBytes: measured && kib > 0 ? kib * 1024 : null,
  }
}

/** Ours, without the options that this process was started with: the program is to start as it does for users. */
export function childEnv(more: Record<string, string> = {}): Record<string, string> {
  const all = Object.entries({ ...process.env, ...more }) as [string, string][]
  return Object.fromEntries(all.filter(([name]) => JIT_OPTIONS[name] === undefined))
}

export type IndexRun = Ran & { readonly report: IndexReport }

/** One `aman index` as a whole process. */
export function runIndex(binary: string, root: string, indexDir: string): IndexRun {
  const env = { AMAN_INDEX_DIR: indexDir }
  const ran = run([binary, "index", "--json", "--quiet", "--root", root], { env, measurePeak: true })
  if (ran.exitCode !== 0)
    throw new Error(`aman index --root ${root} ended with ${ran.exitCode}: ${ran.stderr}`)
  return { ...ran, report: JSON.parse(ran.stdout) as IndexReport }
}

/** The same from nothing. */
export function runColdIndex(binary: string, root: string, indexDir: string): IndexRun {
  rmSync(indexDir, { recursive: true, force: true })
  mkdirSync(indexDir, { recursive: true })
  return runIndex(binary, root, indexDir)
}

/** One `aman search` as a whole process, in ms. */
export function runSearch(binary: string, root: string, indexDir: string, query: string): number {
  const argv = [binary, "search", "--json", "--quiet", "--root", root, "--limit", "10", "--", query]
  const { exitCode, stderr, wallMs } = run(argv, { env: { AMAN_INDEX_DIR: indexDir } })
  // 1: nothing found.
  if (exitCode > 1) throw new Error(`aman search ended with ${exitCode}: ${stderr}`)
  return wallMs
}

/** Bytes of a folder's own files whose names match. */
export function bytesIn(folder: string, names: RegExp = /./u): number {
  return readdirSync(folder)
    .filter((name) => names.test(name))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

export type ProcessMemory = {
  readonly residentBytes: number
  /** Not backed by a file: what other processes cannot share and the system cannot drop. */
  readonly anonymousBytes: number
}

/** Of a running process; null where the system has no /proc. */
export function memoryOf(pid: number): ProcessMemory | null {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
    const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "mu").exec(rollup)?.[1]) * 1024
    return { residentBytes: bytes("Rss"), anonymousBytes: bytes("Anonymous") }
  } catch {
    return null
  }
}

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10

/** What a running process has spent on processors so far; null where the system has no /proc. */
export function processorMsOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return null
  }
}
