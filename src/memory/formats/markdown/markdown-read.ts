/*
 * Reads a Markdown file of entries. `MarkdownReader` goes line by line: a comment begins an entry and has its fields,
 * headings give topics, and text outside of entries becomes a new entry. Lines that cannot be read are collected with
 * their numbers.
 */

import type { EditableFields } from "../export/editable.ts"
import { readPage } from "../front-matter.ts"
import type { BadLine } from "../input-lines.ts"
import { readField, readRemark } from "./markdown-fields.ts"
import { type MarkdownLine, markdownLines, openAfter } from "./markdown-lines.ts"
import { MARKER } from "./markdown-write.ts"

/** An entry as read from a file. */
export type MarkdownEntry = {
  /** Null for a new entry. */
  readonly id: string | null
  /** Hash of the entry when it was exported; null for a new entry. */
  readonly hash: string | null
  readonly form: EditableFields
  readonly line: number
  /** Remarks on the entry's state; see `remarkLines`. */
  readonly remarks: readonly MarkdownRemark[]
}

type MarkdownRemark = { readonly line: number; readonly text: string }

type ReadMarkdown = {
  readonly entries: readonly MarkdownEntry[]
  /** Ids in the file when it was exported; null when the list was removed. */
  readonly exported: readonly string[] | null
  readonly bad: readonly BadLine[]
}

const NEW: EditableFields = {
  text: "",
  topic: "general",
  kind: "semantic",
  tags: [],
  key: null,
  source: null,
  author: null,
  entities: [],
  validFrom: null,
  validUntil: null,
}

/** Reads a file that `writeMarkdown` wrote and a person may have edited. */
export function readMarkdown(file: string): ReadMarkdown {
  return new MarkdownReader(file).read()
}

class MarkdownReader {
  readonly #lines: readonly string[]
  readonly #entries: MarkdownEntry[] = []
  readonly #bad: BadLine[] = []
  readonly #offset: number
  #exported: string[] | null = null
  #topic: string | null = null
  #loose: { line: number; texts: string[] } | null = null
  /** The fence or comment that is open outside of entries; null when none is. */
  #open: string | null = null

  constructor(file: string) {
    const { body, firstLine } = readPage(file)
    this.#lines = body.split("\n")
    this.#offset = firstLine
  }

  read(): ReadMarkdown {
    let at = 0
    while (at < this.#lines.length) at = this.#step(at)
    this.#endLoose()
    return { entries: this.#entries, exported: this.#exported, bad: this.#bad }
  }

  /** Reads from the line `at`; returns the index of the next line to read. */
  #step(at: number): number {
    const line = this.#lines[at]!
    if (this.#open === null && /^<!--\s*aman exported\b/.test(line)) return this.#list(at)
    if (this.#open === null && /^<!--\s*aman(?:\s|$)/.test(line)) return this.#entry(at)
    if (this.#open === null && /^<!--\s*\/aman\b/.test(line)) {
      this.#wrong(at, "an entry ends here without a start: its <!-- aman … --> is missing")
      return at + 1
    }
    this.#outside(at, line)
    return at + 1
  }

  #outside(at: number, line: string): void {
    const wasOpen = this.#open
    this.#open = openAfter(wasOpen, line)
    const isPlain = wasOpen === null && this.#open === null
    const heading = isPlain ? headingOf(line) : null
    const isPreamble = this.#topic === null && this.#loose === null
    if (heading?.depth === 2) {
      this.#endLoose()
      this.#topic = heading.title
    } else if (isPlain && /^(?:---+|\*\*\*+|___+)\s*$/.test(line)) this.#endLoose()
    else if (isPreamble && (heading?.depth === 1 || isComment(wasOpen, this.#open, line))) return
    else if (this.#loose) this.#loose.texts.push(line)
    else if (line.trim() !== "") this.#loose = { line: this.#number(at), texts: [line] }
  }

  /** Adds text outside of entries as a new entry. */
  #endLoose(): void {
    if (this.#loose) {
      const text = this.#loose.texts.join("\n").trimEnd()
      const form = { ...NEW, topic: this.#topic ?? NEW.topic, text }
      this.#entries.push({ id: null, hash: null, form, line: this.#loose.line, remarks: [] })
    }
    this.#loose = null
  }

  #entry(start: number): number {
    this.#endLoose()
    const [head, fields, begin] = this.#comment(start)
    const [id = null, hash = null] = head.split(/\s+/).filter((word) => word !== "")
    const remarks = this.#remarks(fields, start)
    const read = this.#fields(fields, start)
    let end = begin
    while (end < this.#lines.length && !/^<!--\s*\/?aman\b/.test(this.#lines[end]!)) end++
    if (!/^<!--\s*\/aman\b/.test(this.#lines[end] ?? "")) {
      this.#wrong(start, "an entry starts here without an end: <!-- /aman --> is missing")
      return Math.max(end, start + 1)
    }
    const text = this.#lines.slice(begin, end).map((line) => (MARKER.test(line) ? line.slice(1) : line))
    const form = { ...NEW, topic: this.#topic ?? NEW.topic, text: text.join("\n"), ...read }
    this.#entries.push({ id: id?.toLowerCase() ?? null, hash, form, line: this.#number(start), remarks })
    return end + 1
  }

  /**
   * Parses a comment of aman: the words after "aman" in it, its further lines, and the index of the line after it.
   */
  #comment(start: number): [head: string, fields: readonly string[], next: number] {
    let end = start
    while (end < this.#lines.length - 1 && !this.#lines[end]!.includes("-->")) end++
    const [first, ...rest] = this.#lines
      .slice(start, end + 1)
      .map((line) => line.replace(/(?<!\s)\s*-->.*$/, ""))
    return [first!.replace(/^<!--\s*aman/, ""), rest, end + 1]
  }

  #fields(lines: readonly string[], start: number): Partial<EditableFields> {
    let fields: Partial<EditableFields> = {}
    for (const [index, line] of lines.entries()) {
      if (line.trim() === "" || readRemark(line) !== null) continue
      const read = readField(line)
      if (typeof read === "string") this.#wrong(start + 1 + index, read)
      else fields = { ...fields, ...read }
    }
    return fields
  }

  #remarks(lines: readonly string[], start: number): MarkdownRemark[] {
    return lines.flatMap((each, index) => {
      const text = readRemark(each)
      return text === null ? [] : [{ line: this.#number(start + 1 + index), text }]
    })
  }

  #list(start: number): number {
    this.#endLoose()
    const [head, lines, next] = this.#comment(start)
    const words = [head.replace(/^\s*exported/, ""), ...lines].join(" ").split(/\s+/)
    this.#exported = [...(this.#exported ?? []), ...words.filter((word) => word !== "")]
    return next
  }

  #wrong(at: number, message: string): void {
    this.#bad.push({ line: this.#number(at), message })
  }

  #number(at: number): number {
    return at + this.#offset
  }
}

function headingOf(line: string): MarkdownLine["heading"] {
  return markdownLines(line)[0]!.heading
}

function isComment(before: string | null, after: string | null, line: string): boolean {
  return before === "<!--" || after === "<!--" || /^ {0,3}<!--.*-->\s*$/.test(line)
}
