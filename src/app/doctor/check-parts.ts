import { statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { isWritable } from "../../base/paths.ts"
import { commit, version } from "../../base/version.ts"
import { loadNative } from "../../vector/hnsw/native.ts"
import type { Check } from "./doctor.ts"

/** Checks version, platform and the native vector index of the binary. */
export function checkParts(): Check[] {
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

function checkNative(platform: string): Check {
  const name = "vectors"
  if (loadNative() !== null)
    return { name, state: "ok", message: "the native vector index works", next: null }
  const slower = "vector search is slower"
  const temporary = tmpdir()
  // The native library is unpacked into this folder before it is loaded.
  if (!isWritable(temporary)) {
    const message = `no native vector index, because the temporary folder ${temporary} is not writable: ${slower}`
    return { name, state: "warning", message, next: "create that folder, or set TMPDIR to another one" }
  }
  if (freeBytes(temporary) < UNPACKED_BYTES) {
    const message = `no native vector index, because the disk of the temporary folder ${temporary} is full: ${slower}`
    return { name, state: "warning", message, next: "free disk space there, or set TMPDIR to another folder" }
  }
  const message = `no native vector index for ${platform}: ${slower}`
  return {
    name,
    state: "warning",
    message,
    next: "if possible, use the build for glibc, macOS or Windows x64",
  }
}

/** Size of the largest native library when unpacked. */
const UNPACKED_BYTES = 4e6

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
