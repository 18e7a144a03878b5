import { hashOfLines, indexFrom, type Lines, linesOf } from "../knowledge/anchors/lines.ts"
import type { Entry } from "../knowledge/entry.ts"
import { readSource } from "../text/read-source.ts"
import type { HookPlace } from "./place.ts"

/** Reading files takes time: of very many notes the newest are looked at. */
const MOST_FILES = 40

/**
 * Notes of this project whose lines are no longer in the file they were in, newest first. A quick look that parses
 * nothing and follows no rename: `aman memory stale` finds out more.
 */
export function staleEntries({ root, projectId, entries, config }: HookPlace, most: number): Entry[] {
  if (root === null || projectId === null) return []
  const sourced = entries
    .filter(({ source, project }) => project === projectId && source?.hash && source.startLine !== null)
    .sort((a, b) => (a.revisedAt < b.revisedAt ? 1 : -1))
  const files = new Map<string, Lines | null>()
  const read = (path: string): Lines | null => {
    const source = readSource(root, path, config.index.maxFileBytes)
    return "reason" in source ? null : linesOf(source.text)
  }
  const found: Entry[] = []
  for (const entry of sourced) {
    const { path } = entry.source!
    if (found.length === most || files.size === MOST_FILES) break
    if (!files.has(path)) files.set(path, read(path))
    if (!isThere(entry, files.get(path)!)) found.push(entry)
  }
  return found
}

function isThere({ source }: Entry, lines: Lines | null): boolean {
  const { startLine, endLine, hash, text } = source!
  if (lines === null || startLine === null || endLine === null) return false
  const at = indexFrom(lines, startLine)
  const end = indexFrom(lines, endLine + 1)
  if (hashOfLines(lines.texts.slice(at, end)) === hash) return true
  // Moved as a whole: its first line stands elsewhere, and as many lines from there are the same.
  const [first] = linesOf(text ?? "").texts
  const count = end - at
  return lines.texts.some(
    (line, from) => line === first && hashOfLines(lines.texts.slice(from, from + count)) === hash,
  )
}
