import { heapSize } from "bun:jsc"
import { readFileSync } from "node:fs"
import { totalmem } from "node:os"
import { dirname, join } from "node:path"

const GIB = 1024 ** 3
/** Share of the machine's memory that is the default limit. */
const SHARE = 0.4
const CEILING_BYTES = 16 * GIB

/**
 * Smallest memory limit under which a project of ordinary size can be indexed. The process takes 90 MB with one parsing
 * thread, a grammar takes up to 40 MB, and a file of 1 MiB that is read without a syntax tree takes 50 MB.
 */
export const MIN_MEMORY_LIMIT_BYTES = 192 << 20

/** Default memory limit of the process: 40 % of the machine's memory, at least 192 MiB, 16 GiB at most. */
export function defaultMemoryLimitBytes(machineBytes = machineMemoryBytes()): number {
  return Math.max(MIN_MEMORY_LIMIT_BYTES, Math.min(Math.floor(machineBytes * SHARE), CEILING_BYTES))
}

/** Memory of the machine in bytes or, if smaller, the limit of the container (cgroup) in which the process runs. */
export function machineMemoryBytes(fileRoot = "/"): number {
  const total = totalmem()
  return process.platform === "linux" ? Math.min(total, cgroupLimitBytes(fileRoot)) : total
}

/** The lowest memory limit of the process's cgroup and its ancestors; Infinity if there is none. */
export function cgroupLimitBytes(fileRoot: string): number {
  let limit = Number.POSITIVE_INFINITY
  for (const line of readText(join(fileRoot, "proc/self/cgroup")).split("\n")) {
    // The line is "hierarchy:controllers:path". In version 2, the hierarchy is 0 and there are no controllers.
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    if (path === undefined) continue
    if (controllers === "") limit = Math.min(limit, tightest(fileRoot, "sys/fs/cgroup", path, "memory.max"))
    else if (controllers?.split(",").includes("memory")) {
      limit = Math.min(limit, tightest(fileRoot, "sys/fs/cgroup/memory", path, "memory.limit_in_bytes"))
    }
  }
  return limit
}

/** The lowest limit that `file` states in a cgroup's folder or in the folders above it. */
function tightest(fileRoot: string, mount: string, path: string, file: string): number {
  let limit = Number.POSITIVE_INFINITY
  for (let folder = path; ; folder = dirname(folder)) {
    // "max" means no limit and becomes NaN. In version 1, no limit is a number larger than the memory of any machine.
    const bytes = Number.parseInt(readText(join(fileRoot, mount, folder, file)), 10)
    if (bytes > 0) limit = Math.min(limit, bytes)
    if (folder === "/") return limit
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Resident memory of this process in bytes; 0 if the system cannot tell, for example because too many files are open. */
export function residentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return 0
  }
}

const GARBAGE_BYTES = 32 << 20

/**
 * Returns a function for long loops that collects garbage whenever the heap has grown by this many bytes since the last
 * collection. Without it, the heap of a busy thread grows to several times the size of its live data.
 */
export function collector(garbageBytes: number = GARBAGE_BYTES): () => void {
  let heapBytes = heapSize()
  return () => {
    if (heapSize() - heapBytes < garbageBytes) return
    Bun.gc(true)
    heapBytes = heapSize()
  }
}
