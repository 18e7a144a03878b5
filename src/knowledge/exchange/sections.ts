import type { EntryKind } from "../entry.ts"
import { metaList, metaText, readPage } from "./front-matter.ts"
import type { Imported, ImportedEntry, SourceFile } from "./imported.ts"
import { markdownLines } from "./markdown-lines.ts"
import { asInstant, readWhen } from "./when.ts"

/** A piece of a page from one heading to the next, of whatever depth. */
export type Section = {
  /** The headings above, without its own. */
  readonly path: readonly string[]
  readonly title: string | null
  /** With its own heading, without what is blank around it. */
  readonly text: string
  readonly line: number
}

/** Notes as a person keeps them, and what agents are told (CLAUDE.md, AGENTS.md): each section is an entry. */
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

/** A heading with nothing below but other headings is only their path. */
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

/** Entries whose refs are equal get a number: two sections of one name in one place. */
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
