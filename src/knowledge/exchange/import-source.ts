import { AmanError } from "../../base/errors.ts"
import { importBasicMemory } from "./basic-memory.ts"
import { importChat } from "./chat.ts"
import { importClaudeMemory } from "./claude-memory.ts"
import { importClaudeSession } from "./claude-session.ts"
import { detectFormat, FORMATS, type Format } from "./detect.ts"
import { importDialogues } from "./dialogues.ts"
import { importEngramExport } from "./engram.ts"
import { type Imported, joined, type SourceFile } from "./imported.ts"
import { importMem0 } from "./mem0.ts"
import { importNotes } from "./sections.ts"
import { importServerMemory } from "./server-memory.ts"
import { importTranscript } from "./transcript.ts"

/** What is read by value; aman's own exports and batches are taken up elsewhere, as they are. */
export type ForeignFormat = Exclude<Format, "aman" | "batch" | "markdown">

/** What files hold. Of a folder of Claude's memory the others say what its index only repeats. */
export function importFiles(format: ForeignFormat, files: readonly SourceFile[]): Imported {
  return joined(files.map((file) => READERS[format](file, files)))
}

/** The format of a file where none was named; throws where it cannot be told. */
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
