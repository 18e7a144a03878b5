import { metaList, metaText, readPage } from "../front-matter.ts"
import type { ForeignFormat } from "../import-format.ts"
import { parseImportTime, toInstant } from "../import-time.ts"
import {
  entryKind,
  type Imported,
  type ImportedEntry,
  type ImportedRelation,
  numberEqualRefs,
  type SourceFile,
  stem,
} from "../imported.ts"
import { markdownLines, openAfter } from "../markdown/markdown-lines.ts"

/**
 * A note of basic-memory: front matter (title, type, permalink, tags), observations `- [category] text #tag (context)`
 * and relations `- relation_type [[Target]]`. The note becomes an entity, each observation an entry about it, and the
 * remaining prose one more entry.
 */
export const BASIC_MEMORY: ForeignFormat = {
  name: "basic-memory",
  detects: (sample) =>
    sample.text !== "" &&
    !sample.isJson &&
    ("permalink" in sample.page.meta || hasObservation(sample.page.body)),
  read: importBasicMemory,
}

function hasObservation(body: string): boolean {
  return body.split("\n").some((line) => {
    const item = /^\s*[-*+]\s+(\[[^\]]+\]\s.*)$/.exec(line)?.[1]
    return item !== undefined && observationIn(item)?.category != null
  })
}

type Observation = {
  readonly category: string | null
  /** The text as written, with its "#tags". */
  readonly text: string
  readonly tags: readonly string[]
  readonly context: string | null
}

type Link = { readonly to: string; readonly relation: string; readonly isWholeLine: boolean }

function importBasicMemory(file: SourceFile): Imported {
  const { meta, body, firstLine } = readPage(file.text)
  const title = metaText(meta, "title") ?? stem(file.name)
  const permalink = metaText(meta, "permalink")
  const recordedAt = instantOf(metaText(meta, "created")) ?? file.modified
  const parts = splitNote(body, firstLine)
  const about = {
    topic: title,
    entities: [title],
    recordedAt,
    revisedAt: instantOf(metaText(meta, "modified")) ?? null,
  }
  const note = permalink ?? file.name
  const tags = metaList(meta, "tags")
  const entries: ImportedEntry[] = parts.observations.map((observation) => ({
    ...about,
    ref: `${note}\n${observation.text}`,
    text: observation.text,
    kind: entryKind(observation.category ?? "") ?? "semantic",
    tags: [...new Set([...tags, ...observation.tags])],
    metadata: categoryOf(observation),
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
function splitNote(body: string, firstLine: number): NoteParts {
  const parts: NoteParts = { observations: [], relations: [], prose: [] }
  let open: string | null = null
  for (const { text } of markdownLines(body, firstLine)) {
    const isInside = open !== null
    open = openAfter(open, text)
    const item = isInside || open !== null ? null : /^\s*[-*+]\s+(.*\S)\s*$/.exec(text)
    const observation = item && observationIn(item[1]!)
    const relations =
      isInside || open !== null || /^\s*>/.test(text) ? [] : relationsIn(item?.[1] ?? text, item !== null)
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

function categoryOf({ category, context }: Observation): { category?: string; context?: string } {
  return { ...(category !== null && { category }), ...(context !== null && { context }) }
}

function instantOf(date: string | null): string | null {
  const when = date && parseImportTime(date)
  return when ? toInstant(when) : null
}

/**
 * The observation in a list item: `[category] text #tag (context)`, or a text with a tag. Null for a task, a link or
 * the time code of a transcript, which begin with brackets, too. The rules are those of basic-memory's
 * docs/NOTE-FORMAT.md and its parser (2026-08).
 */
function observationIn(item: string): Observation | null {
  if (
    /^\[[ xX/>?!-]?\](?:\s|$)/.test(item) ||
    /^\[[^\]]*\]\([^)]*\)$/.test(item) ||
    /^\[\[.*\]\]$/.test(item)
  ) {
    return null
  }
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
function relationsIn(text: string, isItem: boolean): Link[] {
  const explicit = isItem ? EXPLICIT.exec(text) : null
  if (explicit?.groups) {
    const { quoted, word, target } = explicit.groups
    return [{ relation: (quoted?.slice(1, -1) ?? word)!.trim(), to: linkTarget(target!), isWholeLine: true }]
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
