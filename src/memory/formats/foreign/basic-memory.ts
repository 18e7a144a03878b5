import { metaList, metaText, readPage } from "../front-matter.ts"
import type { Imported, ImportedEntry, ImportedRelation, SourceFile } from "../imported.ts"
import { kindOf } from "../imported.ts"
import { markdownLines, openAfter } from "../markdown/markdown-lines.ts"
import { numbered, stem } from "../sections.ts"
import { asInstant, readWhen } from "../when.ts"
import { type Observation, observationIn, relationsIn } from "./basic-memory-line.ts"

/**
 * A note of basic-memory: front matter (title, type, permalink, tags), observations `- [category] text #tag (context)`
 * and relations `- relation_type [[Target]]`. The note is an entity, each observation an entry of it, and the prose
 * that is neither an entry of its own.
 */
export function importBasicMemory(file: SourceFile): Imported {
  const { meta, body, firstLine } = readPage(file.text)
  const title = metaText(meta, "title") ?? stem(file.name)
  const permalink = metaText(meta, "permalink")
  const recordedAt = instantOf(metaText(meta, "created")) ?? file.modified
  const parts = partsOf(body, firstLine)
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
    kind: kindOf(observation.category ?? "") ?? "semantic",
    tags: [...new Set([...tags, ...observation.tags])],
    metadata: categoryOf(observation),
  }))
  const prose = proseOf(parts.prose)
  if (prose !== "") entries.push({ ...about, ref: `${note}\n`, text: prose, kind: "semantic", tags })
  const type = metaText(meta, "type") ?? "note"
  const aliases = permalink === null || permalink === title ? [] : [permalink]
  return {
    entries: numbered(entries),
    entities: [{ name: title, type, description: "", aliases }],
    relations: parts.relations.map(({ to, relation }) => ({ from: title, to, relation })),
    warnings: [],
  }
}

type Parts = {
  readonly observations: Observation[]
  readonly relations: Pick<ImportedRelation, "to" | "relation">[]
  readonly prose: string[]
}

/** Quotes and code hold neither observations nor relations. */
function partsOf(body: string, firstLine: number): Parts {
  const parts: Parts = { observations: [], relations: [], prose: [] }
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

/** Without headings that nothing stands below any more, as "## Observations". */
function proseOf(lines: readonly string[]): string {
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
  const when = date && readWhen(date)
  return when ? asInstant(when) : null
}
