import { BATCH } from "./batch.ts"
import { AMAN } from "./export.ts"
import {
  type ForeignFormat,
  type Imported,
  type ImportFormat,
  type SourceFile,
  sampleOf,
} from "./imported.ts"
import { CHAT, CLAUDE_SESSION, ENGRAM, MEM0, SERVER_MEMORY } from "./json-sources.ts"
import { MARKDOWN } from "./markdown.ts"
import { BASIC_MEMORY, CLAUDE_MEMORY, INSTRUCTIONS, NOTES } from "./text-sources.ts"

/** All formats that can be imported. The first that detects a file wins, so the general ones come last. */
export const IMPORT_FORMATS: readonly (ImportFormat | ForeignFormat)[] = [
  AMAN,
  SERVER_MEMORY,
  CLAUDE_SESSION,
  MEM0,
  ENGRAM,
  BATCH,
  CHAT,
  MARKDOWN,
  INSTRUCTIONS,
  CLAUDE_MEMORY,
  BASIC_MEMORY,
  NOTES,
]

/** The format of a file; null when no format detects it, as for an empty file. */
export function detectFormat(file: SourceFile): ImportFormat | ForeignFormat | null {
  const sample = sampleOf(file)
  return IMPORT_FORMATS.find((format) => format.detects(sample)) ?? null
}

/** True for every format but aman's own export, batch and Markdown, which are not read as `Imported`. */
export function isForeign(format: ImportFormat | ForeignFormat): format is ForeignFormat {
  return "read" in format
}

/** The content of files of one format. */
export function importFiles(format: ForeignFormat, files: readonly SourceFile[]): Imported {
  const parts = files.map((file) => format.read(file, files))
  return {
    entries: parts.flatMap(({ entries }) => entries),
    entities: parts.flatMap(({ entities }) => entities),
    relations: parts.flatMap(({ relations }) => relations),
    warnings: parts.flatMap(({ warnings }) => warnings),
  }
}
