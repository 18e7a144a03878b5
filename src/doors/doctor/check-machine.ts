import { accessSync, constants, existsSync, statfsSync } from "node:fs"
import { freemem } from "node:os"
import { dirname, join } from "node:path"
import {
  AmanError,
  type CheckResult,
  commit,
  findProgram,
  machineMemoryBytes,
  userDataDir,
  version,
} from "../../base/index.ts"
import { loadNative, nativeFailure, type Project } from "../../index/index.ts"

const MB = 1e6
const GB = 1e9
// An index takes some 5 kB per chunk. With less free space than this, even the index of a medium project and its
// rebuilt copy do not fit on the disk together.
const SCARCE_DISK_BYTES = GB

const MIN_DISK_BYTES = 100 * MB
const SCARCE_MEMORY_BYTES = 300 * MB

/** Checks memory, free disk space, write access and git. */
export function checkMachine(project: Project | null): CheckResult[] {
  const dataDir = userDataDir()
  const folders = project === null ? [dataDir] : [project.config.index.dir, dataDir]
  const places = [...new Set(folders.map(nearestFolder))]
  const git = checkGit()
  return [checkMemory(project), ...places.map(checkDisk), ...folders.map(checkWritable), git]
}

function checkGit(): CheckResult {
  const git = findProgram("git")
  if (git !== null) return { name: "git", state: "ok", message: git, next: null }
  return {
    name: "git",
    state: "warning",
    message:
      "not on the PATH: --diff and other repositories do not work, and renamed files are found only by content",
    next: "install git, or add its folder to the PATH",
  }
}

function checkMemory(project: Project | null): CheckResult {
  const name = "memory"
  const machine = machineMemoryBytes()
  const limit = project?.config.performance.memoryLimitBytes
  const sizes = `${gigabytes(machine)} GB total, ${gigabytes(freemem())} GB free`
  if (limit !== undefined && limit > machine) {
    const message = `performance.memory_limit is ${gigabytes(limit)} GB, but the machine has ${sizes}`
    return {
      name,
      state: "warning",
      message,
      next: "lower or remove that setting; the default is 40 % of the machine",
    }
  }
  const planned = limit === undefined ? "" : `, at most ${gigabytes(limit)} GB used for an index`
  if (freemem() < SCARCE_MEMORY_BYTES) {
    return {
      name,
      state: "warning",
      message: sizes + planned,
      next: "close other programs before the first index run",
    }
  }
  return { name, state: "ok", message: sizes + planned, next: null }
}

function checkDisk(folder: string): CheckResult {
  const name = "disk"
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const message = `${gigabytes(free)} GB free at ${folder}`
  if (free >= SCARCE_DISK_BYTES) return { name, state: "ok", message, next: null }
  const next = "free disk space, or store indexes elsewhere: aman config set index.location FOLDER"
  return { name, state: free < MIN_DISK_BYTES ? "error" : "warning", message, next }
}

function checkWritable(folder: string): CheckResult {
  const name = "writing"
  const isOwn = folder === userDataDir()
  try {
    accessSync(nearestFolder(folder), constants.W_OK)
    return { name, state: "ok", message: `${folder} is writable`, next: null }
  } catch {
    return isOwn
      ? {
          name,
          state: "warning",
          message: `${folder} is not writable, so aman trusts its indexes only until the temporary folder is cleaned`,
          next: "make it writable, or set AMAN_DATA_DIR to another folder",
        }
      : {
          name,
          state: "error",
          message: `${folder} is not writable`,
          next: "make it writable, or choose another: aman config set index.location FOLDER",
        }
  }
}

/** The folder itself, or its nearest existing parent. */
function nearestFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".")) || at === dirname(at)) return at
  }
}

function gigabytes(bytes: number): string {
  return (bytes / GB).toFixed(1)
}

/** Checks version, platform and the native vector index of the binary. */
export function checkParts(): CheckResult[] {
  const platform = `${process.platform}-${process.arch}`
  return [
    {
      name: "version",
      state: "ok",
      message: `aman ${version} (${commit}), ${platform}, Bun ${Bun.version}`,
      next: null,
    },
    checkNative(platform),
  ]
}

function checkNative(platform: string): CheckResult {
  const name = "vectors"
  if (loadNative() !== null)
    return { name, state: "ok", message: "the native vector index works", next: null }
  const failure = nativeFailure()
  return {
    name,
    state: "warning",
    message: `no native vector index ${failure === null ? `for ${platform}` : `(${failure.message})`}: vector search is slower`,
    next:
      (failure instanceof AmanError ? failure.hint : undefined) ??
      "if possible, use the build for glibc, macOS or Windows x64",
  }
}
