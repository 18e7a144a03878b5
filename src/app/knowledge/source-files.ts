import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { toPosix } from "../../base/paths.ts"
import { engramDatabase } from "../../knowledge/exchange/engram.ts"
import type { SourceFile } from "../../knowledge/exchange/imported.ts"
import { decodeText } from "../../text/decode.ts"

const MOST_FILES = 10_000
const MOST_BYTES = 256 << 20
const NOTES = /\.(?:md|mdx|markdown|txt|jsonl?|ndjson)$/i

/** What is to be imported: a file, or the notes of a folder and its folders, by name. */
export function readSourceFiles(path: string): SourceFile[] {
  const stat = statOf(path)
  if (!stat.isDirectory()) return [readOne(path, basename(path), stat)]
  const paths = notesIn(path)
  if (paths.length === 0) {
    throw new AmanError("NOT_FOUND", `no notes in ${path}`, {
      hint: "files ending in .md, .txt, .json and .jsonl are read",
    })
  }
  return paths.map((each) => readOne(each, toPosix(relative(path, each)), statOf(each)))
}

function notesIn(folder: string): string[] {
  const found: string[] = []
  const waiting = [folder]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      if (entry.isDirectory() && !entry.name.startsWith(".")) waiting.push(join(at, entry.name))
      else if (isNote(entry)) found.push(join(at, entry.name))
      if (found.length > MOST_FILES) throw tooMuch(folder)
    }
  }
  return found.sort()
}

function isNote(entry: Dirent): boolean {
  return entry.isFile() && NOTES.test(entry.name)
}

function readOne(path: string, name: string, stat: Stats): SourceFile {
  // A pipe that nobody writes would be waited for, and nothing could end that.
  if (!stat.isFile()) {
    throw new AmanError("USAGE", `${path} is no file`, { hint: "write it into a file, and import that" })
  }
  if (stat.size > MOST_BYTES) throw tooMuch(path)
  const bytes = readFileSync(path)
  const modified = stat.mtime.toISOString()
  const database = engramDatabase(path, { name, modified }, bytes)
  if (database !== null) return database
  const text = decodeText(bytes)?.text
  if (text !== undefined) return { name, text, modified }
  throw new AmanError("NOT_TEXT", `${path} is no text`, { hint: "see aman memory --help for what is read" })
}

function statOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const said = code === "ENOENT" ? `there is no ${path}` : `cannot read ${path}: ${message}`
    throw new AmanError("NOT_FOUND", said, { hint: "name a file, or a folder of notes", cause })
  }
}

function tooMuch(path: string): AmanError {
  return new AmanError("USAGE", `${path} is too much at once`, { hint: "import it piece by piece" })
}
