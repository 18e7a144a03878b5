/**
 * Replaces a macOS binary by an ad hoc signed copy, on any system. The build does the same if Bun has left a wrong
 * signature. A release with an Apple certificate replaces the ad hoc signature.
 *
 *   bun scripts/sign-macho.ts FILE...
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { signFile } from "./release/sign-file.ts"

const { positionals } = parseArgs({ allowPositionals: true })
for (const path of positionals) {
  signFile(path, readFileSync(path))
  console.log(`${path}: signed ad hoc`)
}
