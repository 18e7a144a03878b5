import type { EntryKind } from "../entries/entry.ts"
import { metaList, metaText, readPage } from "./front-matter.ts"
import type { Imported, ImportedEntry, SourceFile } from "./imported.ts"
import { markdownLines } from "./markdown/markdown-lines.ts"
import { asInstant, readWhen } from "./when.ts"

/** The part of a page from one heading to the next, at any depth. */
export type Section = {
  /** Titles of the enclosing headings, without its own. */
  readonly path: readonly string[]
  readonly title: string | null
  /** Its text with its own heading, without surrounding blank lines. */
  readonly text: string
  readonly line: number
}

/** Entries from notes or instructions to agents (CLAUDE.md, AGENTS.md), one per section. */
export function importNotes(file: SourceFile, kind: EntryKind): Imported {
  const page = readPage(file.text)
  const title = metaText(page.meta, "title")
  const date = metaText(page.meta, "modified", "updated", "date", "created")
  const recordedAt = (date && readWhen(date)) ?? file.modified
  const tags = metaList(page.meta, "tags")
  const entries = sectionsOf(page.body, page.firstLine).map(
    (section): ImportedEntry => ({
      ref: [file.name, ...section.path, section.title ?? ""].join("\n"),
      text: section.text,
      topic: section.path.join(" / ") || (title ?? section.title ?? stem(file.name)),
      kind,
      tags,
      recordedAt: recordedAt && asInstant(recordedAt),
      metadata: { file: file.name },
    }),
  )
  return { entries: numbered(entries), entities: [], relations: [], warnings: importsIn(file) }
}

/**
 * The sections of a page. A heading followed only by other headings gives no section; it is part of their
 * paths.
 */
export function sectionsOf(text: string, firstLine = 1): Section[] {
  const sections: Section[] = []
  const path: { depth: number; title: string }[] = []
  let lines: string[] = []
  let start = firstLine
  let title: string | null = null
  const close = () => {
    const body = title === null ? lines : lines.slice(lines[1] && isUnderline(lines[1]) ? 2 : 1)
    if (body.some((line) => line.trim() !== "")) {
      const above = title === null ? path : path.slice(0, -1)
      sections.push({ path: above.map((step) => step.title), title, text: trimmed(lines), line: start })
    }
  }
  for (const { heading, number, text: line } of markdownLines(text, firstLine)) {
    if (heading !== null) {
      close()
      while (path.length > 0 && path.at(-1)!.depth >= heading.depth) path.pop()
      path.push(heading)
      title = heading.title
      lines = []
      start = number
    }
    lines.push(line)
  }
  close()
  return sections
}

/** Adds a number to equal refs, which occur when two sections in the same place have the same title. */
export function numbered(entries: readonly ImportedEntry[]): ImportedEntry[] {
  const seen = new Map<string, number>()
  return entries.map((entry) => {
    const count = (seen.get(entry.ref) ?? 0) + 1
    seen.set(entry.ref, count)
    return count === 1 ? entry : { ...entry, ref: `${entry.ref}\n${count}` }
  })
}

/** "docs/auth-notes.md" → "auth-notes" */
export function stem(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).replace(/\.\w{1,8}$/, "")
}

function isUnderline(line: string): boolean {
  return /^ {0,3}(?:=+|-{3,})[ \t]*$/.test(line)
}

function trimmed(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd()
}

/** "@docs/rules.md" on a line of its own makes an agent read that file, too; it is not followed. */
function importsIn(file: SourceFile) {
  return markdownLines(file.text)
    .filter(({ text }) => /^@[\w~./-]+\.\w+\s*$/.test(text))
    .map(({ text, number }) => ({
      file: file.name,
      line: number,
      message: `${text.trim()} names another file: import that one, too`,
    }))
}
