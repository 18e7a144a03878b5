import { posix } from "node:path"
import { isObject } from "../../base/index.ts"
import type { EntryKind } from "../entries/entry.ts"
import { parseImportTime } from "../entries/times.ts"
import {
  entryKind,
  type ForeignFormat,
  type Imported,
  type ImportedEntry,
  type ImportedRelation,
  nothingImported,
  numberEqualRefs,
  type SourceFile,
  stem,
} from "./imported.ts"
import { firstTextField } from "./json-sources.ts"
import { type FrontMatter, markdownLines, metaList, metaText, readPage } from "./pages.ts"

const AGENT_FILES =
  /^(?:CLAUDE|AGENTS?|GEMINI|QWEN|WARP|CRUSH|CONVENTIONS)(?:\.local)?\.md$|^\.(?:cursor|windsurf|cline)rules$|\.mdc$|^copilot-instructions\.md$/i

/** Files that agents read as instructions, detected by their names. */
export const INSTRUCTIONS: ForeignFormat = {
  name: "instructions",
  detects: ({ file, text, isJson }) => text !== "" && !isJson && AGENT_FILES.test(posix.basename(file.name)),
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
  const recordedAt = parseImportTime(date) ?? file.modified
  const tags = metaList(page.meta, "tags")
  const entries = noteSections(page.body).map(
    (section): ImportedEntry => ({
      ref: [file.name, ...section.path, section.title ?? ""].join("\n"),
      text: section.text,
      topic: section.path.join(" / ") || (title ?? section.title ?? stem(file.name)),
      kind,
      tags,
      recordedAt,
      metadata: { file: file.name },
    }),
  )
  return { entries: numberEqualRefs(entries), entities: [], relations: [], warnings: importsIn(file) }
}

/** The sections of a page. A heading followed only by other headings gives no section; it is part of their paths. */
function noteSections(text: string): Section[] {
  const sections: Section[] = []
  const path: { depth: number; title: string }[] = []
  let lines: string[] = []
  let title: string | null = null
  const close = () => {
    const body = title === null ? lines : lines.slice(UNDERLINE.test(lines[1] ?? "") ? 2 : 1)
    if (body.some((line) => line.trim() !== "")) {
      const above = title === null ? path : path.slice(0, -1)
      const text = lines.join("\n").replace(/^(?:[ \t]*\n)+/, "")
      sections.push({ path: above.map((step) => step.title), title, text: text.trimEnd() })
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

const UNDERLINE = /^ {0,3}(?:=+|-{3,})[ \t]*$/

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

/**
 * Claude Code's own notes in ~/.claude/projects/<project>/memory/: MEMORY.md, an index with one line per memory, and
 * one file per memory with front matter (name, description, type; since 2.1 under "metadata", with "modified"). Files
 * without front matter, from earlier versions, are read as notes in sections. Links [[name]] become relations.
 */
export const CLAUDE_MEMORY: ForeignFormat = {
  name: "claude-memory",
  detects: ({ file, text, isJson, meta }) => {
    if (text === "" || isJson) return false
    const inner = isObject(meta["metadata"]) ? meta["metadata"] : meta
    const isMemory = TYPES.has(firstTextField(inner, "type") ?? "") && firstTextField(meta, "name") !== null
    return isMemory || posix.basename(file.name) === "MEMORY.md"
  },
  read: importClaudeMemory,
}

const TYPES: ReadonlySet<string> = new Set(["user", "feedback", "project", "reference"])

function importClaudeMemory(file: SourceFile, others: readonly SourceFile[]): Imported {
  if (stem(file.name) === "MEMORY") return importIndex(file, others)
  const { meta, body } = readPage(file.text)
  const name = metaText(meta, "name")
  if (name === null) return importNotes(file, "semantic")
  return { ...linksOf(name, body), entries: memoryOf(file, name, meta, body) }
}

function memoryOf(file: SourceFile, name: string, meta: FrontMatter, body: string): ImportedEntry[] {
  const inner = isObject(meta["metadata"]) ? { ...meta, ...meta["metadata"] } : meta
  const type = metaText(inner, "type")
  const modified = metaText(inner, "modified")
  const when = parseImportTime(modified) ?? file.modified
  const description = metaText(meta, "description")
  const text = body.trim() === "" ? description : body.trim()
  if (text === null) return []
  const session = metaText(inner, "originSessionId")
  return [
    {
      ...{ ref: stem(file.name), text, topic: name, author: "claude", role: "agent", recordedAt: when },
      kind: entryKind(type ?? "") ?? "semantic",
      tags: type === null ? [] : [type],
      entities: linksIn(body).length === 0 ? [] : [name],
      metadata: {
        ...{ file: file.name, ...(description !== null && { description }) },
        ...(session !== null && { from_session: session }),
      },
    },
  ]
}

/** Links to other notes, as relations of the entity that the note is. */
function linksOf(name: string, body: string): Imported {
  const targets = linksIn(body)
  if (targets.length === 0) return nothingImported()
  return {
    ...nothingImported(),
    entities: [{ name, type: "memory", description: "", aliases: [] }],
    relations: targets.map((to) => ({ from: name, to, relation: "links_to" })),
  }
}

function linksIn(body: string): string[] {
  return [...new Set([...body.matchAll(/\[\[([^[\]|#]+)[^[\]]*\]\]/g)].map((match) => match[1]!.trim()))]
}

/** Lines of the index that link to a file of the same import are skipped, because they repeat that file. */
function importIndex(file: SourceFile, others: readonly SourceFile[]): Imported {
  const names = new Set(others.map((other) => posix.basename(other.name)))
  const rest = file.text
    .split("\n")
    .filter((line) => {
      const link = /\]\(([^)\s]+\.md)\)/.exec(line)?.[1]
      return link === undefined || !names.has(posix.basename(link))
    })
    .join("\n")
  const left = importNotes({ ...file, text: rest }, "semantic")
  return { ...left, entries: left.entries.map((entry) => ({ ...entry, author: "claude", role: "agent" })) }
}

/**
 * A note of basic-memory: front matter (title, type, permalink, tags), observations `- [category] text #tag (context)`
 * and relations `- relation_type [[Target]]`. The note becomes an entity, each observation an entry about it, and the
 * remaining prose one more entry.
 */
export const BASIC_MEMORY: ForeignFormat = {
  name: "basic-memory",
  detects: ({ meta }) => "permalink" in meta,
  read: importBasicMemory,
}

type Observation = Exclude<ReturnType<typeof observationIn>, null>
function importBasicMemory(file: SourceFile): Imported {
  const { meta, body } = readPage(file.text)
  const title = metaText(meta, "title") ?? stem(file.name)
  const permalink = metaText(meta, "permalink")
  const recordedAt = parseImportTime(metaText(meta, "created")) ?? file.modified
  const parts = splitNote(body)
  const about = {
    ...{ topic: title, entities: [title], recordedAt },
    revisedAt: parseImportTime(metaText(meta, "modified")),
  }
  const note = permalink ?? file.name
  const tags = metaList(meta, "tags")
  const entries: ImportedEntry[] = parts.observations.map(({ text, category, context, tags: own }) => ({
    ...{ ...about, ref: `${note}\n${text}`, text, tags: [...new Set([...tags, ...own])] },
    kind: entryKind(category ?? "") ?? "semantic",
    metadata: { ...(category !== null && { category }), ...(context !== null && { context }) },
  }))
  const prose = noteProse(parts.prose)
  if (prose !== "") entries.push({ ...about, ref: `${note}\n`, text: prose, kind: "semantic", tags })
  const type = metaText(meta, "type") ?? "note"
  const aliases = permalink === null || permalink === title ? [] : [permalink]
  return {
    entries: numberEqualRefs(entries),
    entities: [{ name: title, type, description: "", aliases }],
    relations: parts.relations.map(({ to, relation }) => ({ from: title, to, relation })),
    warnings: [],
  }
}

type NoteParts = {
  readonly observations: Observation[]
  readonly relations: Pick<ImportedRelation, "to" | "relation">[]
  readonly prose: string[]
}

/** Splits the body. Quotes have no relations; code and comments have neither relations nor observations. */
function splitNote(body: string): NoteParts {
  const parts: NoteParts = { observations: [], relations: [], prose: [] }
  for (const { text, isText } of markdownLines(body)) {
    const item = isText ? /^\s*[-*+]\s+(.*\S)\s*$/.exec(text) : null
    const observation = item && observationIn(item[1]!)
    const relations = isText && !/^\s*>/.test(text) ? relationsIn(item?.[1] ?? text, item !== null) : []
    parts.relations.push(...relations.filter(({ to }) => to !== ""))
    if (observation) parts.observations.push(observation)
    else if (!relations.some((relation) => relation.isWholeLine)) parts.prose.push(text)
  }
  return parts
}

/** The prose, without headings that are now empty, such as "## Observations". */
function noteProse(lines: readonly string[]): string {
  const kept: string[] = []
  for (const { text, heading } of markdownLines(lines.join("\n")).toReversed()) {
    const next = kept.find((line) => line.trim() !== "")
    const isEmpty = heading !== null && (next === undefined || /^ {0,3}#{1,6}\s/.test(next))
    if (!isEmpty) kept.push(text)
  }
  return kept
    .toReversed()
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

/**
 * The observation in a list item: `[category] text #tag (context)`, or a text with a tag; its text as written, with its
 * tags. Null for a task, a link or the time code of a transcript, which begin with brackets, too. The rules are those of
 * basic-memory's docs/NOTE-FORMAT.md and its parser (2026-08).
 */
function observationIn(item: string) {
  const isOther = [/^\[[ xX/>?!-]?\](?:\s|$)/, /^\[[^\]]*\]\([^)]*\)$/, /^\[\[.*\]\]$/]
  if (isOther.some((form) => form.test(item))) return null
  const match = /^\[([^[\]()]+)\]\s+(.+)$/.exec(item)
  const category = match && !TIME.test(match[1]!.trim()) ? match[1]!.trim() : null
  const content = category === null ? item : match![2]!.trim()
  const tags = tagsIn(content)
  if (category === null && tags.length === 0) return null
  const context = /^(.*\S)\s*\(([^()]*)\)$/.exec(content)
  return {
    category,
    text: context ? context[1]! : content,
    tags,
    context: context ? context[2]!.trim() : null,
  }
}

/**
 * The relations in a line. A list item `type [[Target]] (context)` names the type; any other [[Target]] is a
 * relation of type "links_to".
 */
function relationsIn(text: string, isItem: boolean) {
  const explicit = isItem ? EXPLICIT.exec(text) : null
  if (explicit?.groups) {
    const { quoted, word, target } = explicit.groups
    const relation = (quoted?.slice(1, -1) ?? word)!.trim()
    return [{ relation, to: linkTarget(target!), isWholeLine: true }]
  }
  const isBare = /^\[\[[^\]]*\]\]$/.test(text.trim())
  return [...text.matchAll(/\[\[([^[\]]+)\]\]/g)].map((match) => ({
    relation: "links_to",
    to: linkTarget(match[1]!),
    isWholeLine: isItem && isBare,
  }))
}

const TIME = /^\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s+-\s+[\d:.,]+)?$/
const EXPLICIT =
  /^(?:(?<quoted>"[^"]+"|'[^']+')|(?<word>[^\s"'[\]]+))\s*\[\[(?<target>[^[\]]+)\]\]\s*(?:\([^()]*\))?$/

function tagsIn(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word.startsWith("#"))
    .flatMap((word) => word.split("#"))
    .filter((tag) => tag !== "")
}

/** The target of a link, without the shown text of "[[Target|shown]]" and the heading of "[[Target#Heading]]". */
function linkTarget(target: string): string {
  return target.split(/[|#]/, 1)[0]!.trim()
}
