/**
 * Signs a macOS binary ad hoc, on any system, in place. The build does it where Bun left a wrong signature;
 * a release with an Apple certificate replaces it.
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
