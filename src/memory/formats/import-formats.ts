import { BATCH } from "./export/batch.ts"
import { AMAN } from "./export/read-export.ts"
import { BASIC_MEMORY } from "./foreign/basic-memory.ts"
import { CHAT } from "./foreign/chat.ts"
import { CLAUDE_MEMORY } from "./foreign/claude-memory.ts"
import { CLAUDE_SESSION } from "./foreign/claude-session.ts"
import { DIALOGUES } from "./foreign/dialogues.ts"
import { ENGRAM } from "./foreign/engram.ts"
import { MEM0 } from "./foreign/mem0.ts"
import { INSTRUCTIONS, NOTES } from "./foreign/notes.ts"
import { SERVER_MEMORY } from "./foreign/server-memory.ts"
import { TRANSCRIPT } from "./foreign/transcript.ts"
import { type ForeignFormat, type ImportFormat, Sample } from "./import-format.ts"
import { type Imported, joinSources, type SourceFile } from "./imported.ts"
import { MARKDOWN } from "./markdown/import-markdown.ts"

/** All formats that can be imported. The first that detects a file wins, so the general ones come last. */
export const IMPORT_FORMATS: readonly (ImportFormat | ForeignFormat)[] = [
  AMAN,
  SERVER_MEMORY,
  CLAUDE_SESSION,
  DIALOGUES,
  MEM0,
  ENGRAM,
  BATCH,
  CHAT,
  TRANSCRIPT,
  MARKDOWN,
  INSTRUCTIONS,
  CLAUDE_MEMORY,
  BASIC_MEMORY,
  NOTES,
]

/** The format of a file; null when no format detects it, as for an empty file. */
export function detectFormat(file: SourceFile): ImportFormat | ForeignFormat | null {
  const sample = new Sample(file)
  return IMPORT_FORMATS.find((format) => format.detects(sample)) ?? null
}

/** True for every format but aman's own export, batch and Markdown, which are not read as `Imported`. */
export function isForeign(format: ImportFormat | ForeignFormat): format is ForeignFormat {
  return "read" in format
}

/** The content of files of one format. */
export function importFiles(format: ForeignFormat, files: readonly SourceFile[]): Imported {
  return joinSources(files.map((file) => format.read(file, files)))
}
