import { type FrontMatter, metaText, readPage } from "../front-matter.ts"
import type { ForeignFormat } from "../import-format.ts"
import { parseImportTime, toInstant } from "../import-time.ts"
import {
  entryKind,
  type Imported,
  type ImportedEntry,
  joinSources,
  nothingImported,
  type SourceFile,
  stem,
} from "../imported.ts"
import { firstTextField, isObject } from "../json-value.ts"
import { importNotes } from "./notes.ts"

/**
 * Claude Code's own notes in ~/.claude/projects/<project>/memory/: MEMORY.md, an index with one line per memory, and
 * one file per memory with front matter (name, description, type; since 2.1 under "metadata", with "modified"). Files
 * without front matter, from earlier versions, are read as notes in sections. Links [[name]] become relations.
 */
export const CLAUDE_MEMORY: ForeignFormat = {
  name: "claude-memory",
  detects: (sample) => {
    if (sample.text === "" || sample.isJson) return false
    const { meta } = sample.page
    const inner = isObject(meta["metadata"]) ? meta["metadata"] : meta
    const isMemory = TYPES.has(firstTextField(inner, "type") ?? "") && firstTextField(meta, "name") !== null
    const { name } = sample.file
    return isMemory || name.slice(name.lastIndexOf("/") + 1) === "MEMORY.md"
  },
  read: importClaudeMemory,
}

const TYPES: ReadonlySet<string> = new Set(["user", "feedback", "project", "reference"])

function importClaudeMemory(file: SourceFile, others: readonly SourceFile[]): Imported {
  if (stem(file.name) === "MEMORY") return importIndex(file, others)
  const { meta, body } = readPage(file.text)
  const name = metaText(meta, "name")
  if (name === null) return importNotes(file, "semantic")
  return joinSources([
    linksOf(name, body),
    { ...nothingImported(), entries: memoryOf(file, name, meta, body) },
  ])
}

function memoryOf(file: SourceFile, name: string, meta: FrontMatter, body: string): ImportedEntry[] {
  const inner = isObject(meta["metadata"]) ? { ...meta, ...meta["metadata"] } : meta
  const type = metaText(inner, "type")
  const modified = metaText(inner, "modified")
  const when = (modified && parseImportTime(modified)) ?? file.modified
  const description = metaText(meta, "description")
  const text = body.trim() === "" ? description : body.trim()
  if (text === null) return []
  return [
    {
      ref: `${stem(file.name)}`,
      text,
      topic: name,
      kind: entryKind(type ?? "") ?? "semantic",
      tags: type === null ? [] : [type],
      author: "claude",
      role: "agent",
      entities: linksIn(body).length === 0 ? [] : [name],
      recordedAt: when && toInstant(when),
      metadata: {
        file: file.name,
        ...(description !== null && { description }),
        ...originSession(inner),
      },
    },
  ]
}

function originSession(meta: FrontMatter): { from_session?: string } {
  const session = metaText(meta, "originSessionId")
  return session === null ? {} : { from_session: session }
}

function linksOf(name: string, body: string): Imported {
  const targets = linksIn(body)
  if (targets.length === 0) return nothingImported()
  const entity = (of: string) => ({ name: of, type: "memory", description: "", aliases: [] })
  return {
    ...nothingImported(),
    entities: [entity(name)],
    relations: targets.map((to) => ({ from: name, to, relation: "links_to" })),
  }
}

function linksIn(body: string): string[] {
  return [...new Set([...body.matchAll(/\[\[([^[\]|#]+)[^[\]]*\]\]/g)].map((match) => match[1]!.trim()))]
}

/** Lines of the index that link to a file of the same import are skipped, because they repeat that file. */
function importIndex(file: SourceFile, others: readonly SourceFile[]): Imported {
  const names = new Set(others.map((other) => other.name.slice(other.name.lastIndexOf("/") + 1)))
  const rest = file.text
    .split("\n")
    .filter((line) => {
      const link = /\]\(([^)\s]+\.md)\)/.exec(line)?.[1]
      return link === undefined || !names.has(link.slice(link.lastIndexOf("/") + 1))
    })
    .join("\n")
  const left = importNotes({ ...file, text: rest }, "semantic")
  return { ...left, entries: left.entries.map((entry) => ({ ...entry, author: "claude", role: "agent" })) }
}
