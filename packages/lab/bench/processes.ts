import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { IndexReport } from "../../../src/base/index.ts"
import { JIT_OPTIONS } from "../../../src/base/process/reexec.ts"

export type Ran = {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Milliseconds from the start of the process to its end. */
  readonly wallMs: number
  /** Processor time of all threads together, which unlike the time that passed does not include waiting. */
  readonly cpuMs: number
  /** Max resident memory; null if the system does not report it. */
  readonly peakBytes: number | null
}

const TIME = "/usr/bin/time"

export function run(
  argv: readonly string[],
  options: { readonly env?: Record<string, string>; readonly measurePeak?: boolean } = {},
): Ran {
  const measured = (options.measurePeak ?? false) && process.platform === "linux" && existsSync(TIME)
  // A child counts its parent's memory at the fork as its own peak, so the small GNU time is its parent.
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
    // Given in µs; includes the measured process, which is a child of GNU time.
    cpuMs: Number(child.resourceUsage?.cpuTime.total ?? 0) / 1000,
    peakBytes: measured && kib > 0 ? kib * 1024 : null,
  }
}

/**
 * Environment for a child without the compiler options of this process, so that the program starts as it does
 * for users.
 */
export function childEnv(more: Record<string, string> = {}): Record<string, string> {
  const all = Object.entries({ ...process.env, ...more }) as [string, string][]
  return Object.fromEntries(all.filter(([name]) => JIT_OPTIONS[name] === undefined))
}

export type IndexRun = Ran & { readonly report: IndexReport }

/** Runs one `aman index` as a whole process. */
export function runIndex(binary: string, root: string, indexDir: string): IndexRun {
  const env = { AMAN_INDEX_DIR: indexDir }
  const ran = run([binary, "index", "--json", "--quiet", "--root", root], { env, measurePeak: true })
  if (ran.exitCode !== 0)
    throw new Error(`aman index --root ${root} ended with ${ran.exitCode}: ${ran.stderr}`)
  return { ...ran, report: JSON.parse(ran.stdout) as IndexReport }
}

/** Like `runIndex`, without an existing index. */
export function runColdIndex(binary: string, root: string, indexDir: string): IndexRun {
  rmSync(indexDir, { recursive: true, force: true })
  mkdirSync(indexDir, { recursive: true })
  return runIndex(binary, root, indexDir)
}

/** Milliseconds of one `aman search` as a whole process. */
export function runSearch(binary: string, root: string, indexDir: string, query: string): number {
  const argv = [binary, "search", "--json", "--quiet", "--root", root, "--limit", "10", "--", query]
  const { exitCode, stderr, wallMs } = run(argv, { env: { AMAN_INDEX_DIR: indexDir } })
  // Exit code 1 means that nothing was found.
  if (exitCode > 1) throw new Error(`aman search ended with ${exitCode}: ${stderr}`)
  return wallMs
}

/** Total bytes of the files directly in a folder whose names match. */
export function bytesIn(folder: string, names: RegExp = /./u): number {
  return readdirSync(folder)
    .filter((name) => names.test(name))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

export type ProcessMemory = {
  readonly residentBytes: number
  /** Memory that no file backs: other processes cannot share it, and the system cannot drop it. */
  readonly anonymousBytes: number
}

/** Memory of a running process; null on a system without /proc. */
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

/** Processor time in ms that a running process has used so far; null on a system without /proc. */
export function processorMsOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return null
  }
}
