import { relative } from "node:path"
import { AmanError } from "../../base/errors.ts"

/**
 * Throws USAGE for a file that agents would read as instructions, that tools read as settings, or that a
 * build publishes. `file` is its path below `root` with links resolved; `named` is the path as the agent
 * wrote it.
 */
export function refuseInstructions(root: string, file: string, named: string): void {
  const parts = relative(root, file).split(/[\\/]/)
  const name = parts.at(-1)!
  const problem =
    unsafePart(parts) ?? (/\.jsonl$/i.test(name) ? null : instructionsIn(parts.slice(0, -1), name))
  if (problem === null) return
  throw new AmanError("USAGE", `an agent cannot export to ${JSON.stringify(named)}: ${problem}`, {
    hint: "use a .jsonl file, or Markdown such as notes/decisions.md; a person can run: aman memory export PATH",
  })
}

/**
 * Names that mean the same file on every file system. Some file systems ignore trailing dots and spaces and
 * invisible characters, or accept a second, short name with ~.
 */
const PLAIN = /^[\p{L}\p{N}._-](?:[\p{L}\p{N}\p{M}._ -]*[\p{L}\p{N}\p{M}_-])?$/u

function unsafePart(parts: readonly string[]): string | null {
  if (parts.some((part) => part.startsWith("."))) return "hidden files and folders hold settings"
  const odd = parts.find((part) => !PLAIN.test(part))
  if (odd === undefined) return null
  return `${JSON.stringify(odd)} is not portable; use letters, digits, spaces, dots, - and _`
}

/**
 * Folders that no agent or tool reads, except for the names in INSTRUCTIONS, which agents read in every
 * folder.
 */
const NOTES: ReadonlySet<string> = new Set(["notes", "aman-notes", "aman-export"])

const INSTRUCTIONS =
  /^(?:claude|agents?|gemini|qwen|codex|crush|warp|copilot|cursor|windsurf|cline|goose|opencode|skills?|conventions)(?:[._ -]|$)|[._ -](?:instructions?|prompt|chatmode|rules?|agent)\.md$|^(?:instructions?|prompt|rules?)\.md$/i

function instructionsIn(folders: readonly string[], name: string): string | null {
  // Some file systems treat different letters as equal: K (Kelvin) and k, ſ and s.
  if (INSTRUCTIONS.test(name.normalize("NFKD").replace(/\p{M}/gu, "")))
    return `agents read ${name} as instructions`
  const [first = ""] = folders
  if (NOTES.has(first.toLowerCase())) return null
  return "Markdown there may be read as instructions or be published; use notes/"
}
