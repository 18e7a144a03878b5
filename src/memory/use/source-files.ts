import { readdirSync, readFileSync, type Stats, statSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { AmanError, realPlace, toPosix } from "../../base/index.ts"
import { decodeText, isSecretPath, isSecretText } from "../../text/index.ts"
import type { SourceFile } from "../formats/imported.ts"
import { engramDatabase } from "../formats/json-sources.ts"

const MAX_BYTES = 256 << 20
const NOTES = /\.(?:md|mdx|markdown|txt|jsonl?|ndjson)$/i

/**
 * Reads a file, or the notes of a folder and its subfolders, sorted by name. A file that may contain secrets is refused; in a
 * folder it is skipped and named in `secret`. `root`: only the part of a path below it is checked for secret names.
 */
export function readSourceFiles(path: string, root: string | null = null) {
  const stat = statOf(path)
  if (!stat.isDirectory()) {
    const file = readSourceFile(path, basename(path), stat, root)
    if (file === null) throw mayHoldSecrets(path)
    return { files: [file], secret: [] }
  }
  const paths = notesIn(path)
  const read = paths.map((each) => {
    const name = toPosix(relative(path, each))
    return { name, file: readSourceFile(each, name, statOf(each), root) }
  })
  const files = read.flatMap(({ file }) => (file === null ? [] : [file]))
  if (files.length === 0) {
    const left = read.length === 0 ? "" : `, except ${read.length} that may hold secrets`
    throw new AmanError("NOT_FOUND", `no notes in ${path}${left}`, {
      hint: "files ending in .md, .txt, .json and .jsonl are read",
    })
  }
  return { files, secret: read.flatMap(({ name, file }) => (file === null ? [name] : [])) }
}

/** Throws OUTSIDE_ROOT if the file, or the file that it links to, has a name that is typical for files with secrets. */
export function refuseSecretFile(path: string): void {
  if (isSecretPlace(path, null)) throw mayHoldSecrets(path)
}

function mayHoldSecrets(path: string): AmanError {
  return new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} may hold secrets and is never imported`, {
    hint: "copy the safe parts into another file, and import that",
  })
}

function isSecretPlace(path: string, root: string | null): boolean {
  return [path, realPlace(path)].some((place) => {
    const inner = root === null ? null : toPosix(relative(root, place))
    return isSecretPath(inner === null || inner.startsWith("../") ? toPosix(place) : inner)
  })
}

function notesIn(folder: string): string[] {
  const paths: string[] = []
  const waiting = [folder]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      if (entry.isDirectory() && !entry.name.startsWith(".")) waiting.push(join(at, entry.name))
      else if (entry.isFile() && NOTES.test(entry.name)) paths.push(join(at, entry.name))
      if (paths.length > 10_000) throw tooMuch(folder)
    }
  }
  return paths.sort()
}

/** The file; null when it may contain secrets. */
function readSourceFile(path: string, name: string, stat: Stats, root: string | null): SourceFile | null {
  if (isSecretPlace(path, root)) return null
  // Reading a pipe without a writer would block forever.
  if (!stat.isFile()) {
    throw new AmanError("USAGE", `${path} is not a file`, {
      hint: "write the text to a file, and import that",
    })
  }
  if (stat.size > MAX_BYTES) throw tooMuch(path)
  const bytes = readFileSync(path)
  const modified = stat.mtime.toISOString()
  const database = engramDatabase(path, { name, modified }, bytes)
  if (database !== null) return database
  const text = decodeText(bytes)?.text
  if (text !== undefined)
    return isSecretText(basename(realPlace(path)), text) ? null : { name, text, modified }
  throw new AmanError("NOT_TEXT", `${path} is not a text file`, {
    hint: "see aman memory --help for what is read",
  })
}

function statOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const description = code === "ENOENT" ? `${path} does not exist` : `cannot read ${path}: ${message}`
    throw new AmanError("NOT_FOUND", description, { hint: "give a file or a folder of notes", cause })
  }
}

function tooMuch(path: string): AmanError {
  return new AmanError("USAGE", `${path} is too large to import at once`, { hint: "import it in parts" })
}
