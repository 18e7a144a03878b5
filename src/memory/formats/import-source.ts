import { AmanError } from "../../base/errors.ts"
import { detectFormat, FORMATS, type Format } from "./detect.ts"
import { importBasicMemory } from "./foreign/basic-memory.ts"
import { importChat } from "./foreign/chat.ts"
import { importClaudeMemory } from "./foreign/claude-memory.ts"
import { importClaudeSession } from "./foreign/claude-session.ts"
import { importDialogues } from "./foreign/dialogues.ts"
import { importEngramExport } from "./foreign/engram.ts"
import { importMem0 } from "./foreign/mem0.ts"
import { importServerMemory } from "./foreign/server-memory.ts"
import { importTranscript } from "./foreign/transcript.ts"
import { type Imported, joined, type SourceFile } from "./imported.ts"
import { importNotes } from "./sections.ts"

/** Formats of other tools; aman's own exports, batches and Markdown are imported elsewhere. */
export type ForeignFormat = Exclude<Format, "aman" | "batch" | "markdown">

/**
 * The content of the files. Each reader also gets all files, because Claude's index file repeats the others.
 */
export function importFiles(format: ForeignFormat, files: readonly SourceFile[]): Imported {
  return joined(files.map((file) => READERS[format](file, files)))
}

/** The format of a file when none was given; throws USAGE when it cannot be told. */
export function formatOf(file: SourceFile): Format {
  const format = detectFormat(file)
  if (format !== null) return format
  throw new AmanError("USAGE", `${file.name} is of no format that is known`, {
    hint: `name it with --format, one of ${FORMATS.join(", ")}`,
  })
}

const READERS: Readonly<Record<ForeignFormat, (file: SourceFile, all: readonly SourceFile[]) => Imported>> = {
  "server-memory": importServerMemory,
  engram: importEngramExport,
  mem0: importMem0,
  "basic-memory": importBasicMemory,
  "claude-memory": importClaudeMemory,
  instructions: (file) => importNotes(file, "procedural"),
  notes: (file) => importNotes(file, "semantic"),
  "claude-session": importClaudeSession,
  chat: importChat,
  dialogues: importDialogues,
  transcript: importTranscript,
}
