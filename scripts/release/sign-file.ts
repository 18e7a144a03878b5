import { chmodSync, renameSync, writeFileSync } from "node:fs"
import { signAdHoc } from "./ad-hoc-signature.ts"
import { signatureProblems } from "./code-signature.ts"

/**
 * Replaces a file by a signed copy. Not in place, because macOS remembers the pages of a program that has run
 * by its inode.
 */
export function signFile(path: string, file: Buffer): void {
  const signed = signAdHoc(file, "aman")
  const [problem] = signatureProblems(signed)
  if (problem !== undefined) throw new Error(`${path}: the new signature is not right: ${problem}`)
  const staging = `${path}.signed`
  writeFileSync(staging, signed)
  chmodSync(staging, 0o755)
  renameSync(staging, path)
}
