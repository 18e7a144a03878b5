/**
 * Checks the signature of macOS binaries, on any system: compares each page of the file with its hash in every code
 * directory. macOS kills a program with a wrong hash, without a message.
 *
 *   bun scripts/verify-macho.ts dist/aman-darwin-*      exits with 1 if a signature is wrong
 */
import { readFileSync } from "node:fs"
import { signatureProblems } from "./release/code-signature.ts"

const paths = process.argv.slice(2)
if (paths.length === 0) {
  console.error("usage: bun scripts/verify-macho.ts FILE...")
  process.exit(2)
}
for (const path of paths) {
  const problems = signatureProblems(readFileSync(path))
  for (const problem of problems) console.error(`${path}: ${problem}`)
  if (problems.length === 0) console.log(`${path}: every page has its hash`)
  else process.exitCode = 1
}
