/**
 * Writes the files that packages contain beside the program: completions and the manual page, printed by the program
 * itself, and the install scripts with the address of the releases.
 *
 *   bun scripts/packaging.ts --binary dist/aman --out build/packaging
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { project, repository } from "./release/product.ts"

const COMPLETIONS: Readonly<Record<string, string>> = {
  bash: "aman.bash",
  zsh: "_aman",
  fish: "aman.fish",
  powershell: "aman.ps1",
}

const { values } = parseArgs({ options: { binary: { type: "string" }, out: { type: "string" } } })
if (!values.binary || !values.out) throw new Error("usage: bun scripts/packaging.ts --binary FILE --out DIR")
const [binary, out] = [resolve(values.binary), resolve(values.out)]

for (const [shell, file] of Object.entries(COMPLETIONS))
  write(`completions/${file}`, printed("completions", shell))
write("man/aman.1", printed("man"))
for (const script of ["install.sh", "install.ps1"]) write(script, filledIn(script))
chmodSync(join(out, "install.sh"), 0o755)

function printed(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(binary, args, { encoding: "utf8" })
  if (status !== 0 || stdout === "") throw new Error(`${binary} ${args.join(" ")}: ${stderr}`)
  return stdout
}

function filledIn(script: string): string {
  const text = readFileSync(join(project, "scripts", script), "utf8")
  if (!text.includes("@REPOSITORY@")) throw new Error(`scripts/${script} has no place for the repository`)
  return text.replaceAll("@REPOSITORY@", repository())
}

function write(path: string, text: string): void {
  const file = join(out, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
