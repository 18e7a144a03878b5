import { AmanError } from "../../../base/errors.ts"
import { MARK_KINDS, type MarkKind } from "../../../store/memory/tables.ts"
import type { KnowledgeEvent } from "../../log/event.ts"
import type { ImportFormat } from "../import-format.ts"
import { type BadLine, badLines, type InputLine, readInputLines } from "../input-lines.ts"
import { isObject, type JsonObject, parseJson } from "../json-value.ts"
import { eventProblem } from "./event-shape.ts"
import { EXPORT_VERSION, JSONL_FORMAT } from "./export-lines.ts"
import { anyObject, isListOf, shaped, text } from "./shape.ts"

/** The format of `aman memory export`: JSON Lines. */
export const AMAN: ImportFormat = {
  name: "aman",
  detects: ({ firstObject }) => firstObject["format"] === JSONL_FORMAT,
}

export type ExportedProject = {
  readonly project: string
  readonly name: string
  readonly created: string
  readonly marks: readonly { readonly kind: MarkKind; readonly value: string }[]
}

export type ExportContent = {
  readonly projects: readonly ExportedProject[]
  readonly events: readonly KnowledgeEvent[]
  /** The skipped lines; empty unless `skipBad`. */
  readonly bad: readonly BadLine[]
}

/** Reads an export. Throws USAGE for bad lines and a truncated file, KNOWLEDGE_NEWER for a newer format. */
export async function readExport(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  { skipBad = false }: { skipBad?: boolean } = {},
): Promise<ExportContent> {
  const projects: ExportedProject[] = []
  const events: KnowledgeEvent[] = []
  const bad: BadLine[] = []
  let header: JsonObject | null = null
  for await (const line of readInputLines(chunks)) {
    if (header === null) {
      header = headerOf(line, file)
      continue
    }
    const read = readExportLine(line)
    if (typeof read === "string") bad.push({ line: line.number, message: read })
    else if ("project" in read) projects.push(read)
    else events.push(read)
  }
  if (header === null) throw notAnExport(file)
  if (bad.length > 0 && !skipBad) throw badLines(file, bad)
  if (bad.length === 0) refuseCut(header, events.length, file)
  return { projects, events, bad }
}

/** The project or event in a line; a string is an error message. */
function readExportLine(line: InputLine): ExportedProject | KnowledgeEvent | string {
  const value = parseJson(line.text)
  if (value === undefined) return "not JSON"
  if (isObject(value) && "project" in value)
    return PROJECT(value, "") ?? withKnownMarks(value as ExportedProject)
  return eventProblem(value) ?? (value as KnowledgeEvent)
}

const PROJECT = shaped({
  project: text,
  name: text,
  created: text,
  marks: isListOf(shaped({ kind: text, value: text })),
})

/** The project without marks that this version does not know or that are valid on the exporting machine only. */
function withKnownMarks(project: ExportedProject): ExportedProject {
  return { ...project, marks: project.marks.filter(({ kind }) => MARK_KINDS.some((known) => known === kind)) }
}

function headerOf({ text: line }: InputLine, file: string): JsonObject {
  const header = parseJson(line)
  if (anyObject(header, "") !== null || (header as JsonObject)["format"] !== JSONL_FORMAT)
    throw notAnExport(file)
  const version = Number((header as JsonObject)["version"])
  if (version > EXPORT_VERSION)
    throw new AmanError("KNOWLEDGE_NEWER", `${file} was written by a newer aman (version ${version})`, {
      hint: "nothing was changed; update aman",
    })
  return header as JsonObject
}

function refuseCut(header: JsonObject, found: number, file: string): void {
  const promised = header["events"]
  if (typeof promised !== "number" || promised <= found) return
  throw new AmanError("USAGE", `${file} is incomplete: it has ${found} of ${promised} events`, {
    hint: "nothing was stored; export it again",
  })
}

function notAnExport(file: string): AmanError {
  return new AmanError("USAGE", `${file} is not an export of aman: its first line is not a header`, {
    hint: "if it has another format, set --format",
  })
}
