/**
 * Builds and compares the binary byte by byte with dist/aman, which was built before, or with a second build for each
 * target; docs/release.md explains what this guarantees.
 *
 *   bun scripts/reproducible.ts [target...]     no target: this system
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const compile = join(import.meta.dir, "compile.ts")
const targets = process.argv.slice(2)
for (const target of targets.length > 0 ? targets : [null]) {
  const first = target === null ? hashOf(join(import.meta.dir, "../dist/aman")) : build(target)
  const second = build(target)
  const isSame = first === second
  console.log(
    `${target ?? "this system"}: ${isSame ? "the same" : "DIFFERENT"} ${first} ${isSame ? "" : second}`,
  )
  if (!isSame) process.exitCode = 1
}

/** SHA-256 of a build in a separate folder. */
function build(target: string | null): string {
  const folder = mkdtempSync(join(tmpdir(), "aman-reproducible-"))
  try {
    const args = target === null ? [] : ["--target", target]
    const command = [compile, "--outfile", join(folder, "aman"), ...args]
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" })
    if (status !== 0) throw new Error(stderr)
    const [name] = readdirSync(folder)
    return hashOf(join(folder, name!))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex")
}
