import type { EntryKind } from "../../entries/entry.ts"
import { metaList, metaText, readPage } from "../front-matter.ts"
import type { ForeignFormat } from "../import-format.ts"
import { parseImportTime, toInstant } from "../import-time.ts"
import { type Imported, type ImportedEntry, numberEqualRefs, type SourceFile, stem } from "../imported.ts"
import { markdownLines } from "../markdown/markdown-lines.ts"

const AGENT_FILES =
  /^(?:CLAUDE|AGENTS?|GEMINI|QWEN|WARP|CRUSH|CONVENTIONS)(?:\.local)?\.md$|^\.(?:cursor|windsurf|cline)rules$|\.mdc$|^copilot-instructions\.md$/i

/** Files that agents read as instructions, detected by their names. */
export const INSTRUCTIONS: ForeignFormat = {
  name: "instructions",
  detects: ({ file, text, isJson }) =>
    text !== "" && !isJson && AGENT_FILES.test(file.name.slice(file.name.lastIndexOf("/") + 1)),
  read: (file) => importNotes(file, "procedural"),
}

/** The format of any text that no other format detects. */
export const NOTES: ForeignFormat = {
  name: "notes",
  detects: ({ text, isJson }) => text !== "" && !isJson,
  read: (file) => importNotes(file, "semantic"),
}

/** The part of a page from one heading to the next, at any depth. */
type Section = {
  /** Titles of the enclosing headings, without its own. */
  readonly path: readonly string[]
  readonly title: string | null
  /** Text of the section with its heading, without surrounding blank lines. */
  readonly text: string
}

/** Entries from notes or instructions to agents (CLAUDE.md, AGENTS.md), one per section. */
export function importNotes(file: SourceFile, kind: EntryKind): Imported {
  const page = readPage(file.text)
  const title = metaText(page.meta, "title")
  const date = metaText(page.meta, "modified", "updated", "date", "created")
  const recordedAt = (date && parseImportTime(date)) ?? file.modified
  const tags = metaList(page.meta, "tags")
  const entries = noteSections(page.body).map(
    (section): ImportedEntry => ({
      ref: [file.name, ...section.path, section.title ?? ""].join("\n"),
      text: section.text,
      topic: section.path.join(" / ") || (title ?? section.title ?? stem(file.name)),
      kind,
      tags,
      recordedAt: recordedAt && toInstant(recordedAt),
      metadata: { file: file.name },
    }),
  )
  return { entries: numberEqualRefs(entries), entities: [], relations: [], warnings: importsIn(file) }
}

/**
 * The sections of a page. A heading followed only by other headings gives no section; it is part of their
 * paths.
 */
function noteSections(text: string): Section[] {
  const sections: Section[] = []
  const path: { depth: number; title: string }[] = []
  let lines: string[] = []
  let title: string | null = null
  const close = () => {
    const body = title === null ? lines : lines.slice(lines[1] && isUnderline(lines[1]) ? 2 : 1)
    if (body.some((line) => line.trim() !== "")) {
      const above = title === null ? path : path.slice(0, -1)
      sections.push({ path: above.map((step) => step.title), title, text: trimmed(lines) })
    }
  }
  for (const { heading, text: line } of markdownLines(text)) {
    if (heading !== null) {
      close()
      while (path.length > 0 && path.at(-1)!.depth >= heading.depth) path.pop()
      path.push(heading)
      title = heading.title
      lines = []
    }
    lines.push(line)
  }
  close()
  return sections
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
      message: `${text.trim()} refers to another file: import that one too`,
    }))
}
