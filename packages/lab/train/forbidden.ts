import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { listBlobs } from "./bare-repository.ts"

/**
 * Git ids of all files in folders, and in the newest commit of bare repositories, from which nothing may be
 * learnt.
 */
export function forbiddenFiles(folders: readonly string[]): Set<string> {
  const ids = new Set<string>()
  for (const folder of folders) {
    if (existsSync(join(folder, "HEAD"))) for (const { id } of listBlobs(folder, "HEAD")) ids.add(id)
    else addFiles(folder, ids)
  }
  return ids
}

function addFiles(folder: string, ids: Set<string>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== ".git" && entry.name !== ".aman") addFiles(path, ids)
    else if (entry.isFile()) ids.add(blobId(readFileSync(path)))
  }
}

function blobId(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}

/** Names of repositories in a list with one per line; # begins a comment. */
export function neverTrained(file: string): Set<string> {
  const lines = readFileSync(file, "utf8").split("\n")
  return new Set(
    lines.filter((line) => /^[^#\s]+\/\S+$/u.test(line)).map((line) => line.trim().toLowerCase()),
  )
}
