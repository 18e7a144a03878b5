import { AmanError } from "../../../base/errors.ts"
import type { EntrySource } from "../../../memory/entries/entry.ts"
import { detectFormat, type Format } from "../../../memory/formats/detect.ts"
import { readBatch } from "../../../memory/formats/export/batch.ts"
import { importExport } from "../../../memory/formats/export/import-export.ts"
import { readExport } from "../../../memory/formats/export/read-export.ts"
import { type ForeignFormat, formatOf, importFiles } from "../../../memory/formats/import-source.ts"
import type { SourceFile } from "../../../memory/formats/imported.ts"
import {
  applyMarkdown,
  editedSources,
  planMarkdown,
} from "../../../memory/formats/markdown/import-markdown.ts"
import { type ImportReport, storeImported } from "../../../memory/formats/store-imported.ts"
import type { Memory } from "../memory.ts"
import { leftOutLines, prepareRemember } from "../remember.ts"

export type ImportOptions = {
  readonly format?: string | undefined
  readonly dry_run?: boolean | undefined
  readonly delete_missing?: boolean | undefined
  readonly force?: boolean | undefined
  /** Skip lines that cannot be read. */
  readonly skip_bad?: boolean | undefined
  /** Working folder of a person; absent for an agent. */
  readonly cwd?: string | undefined
}

/** Result of importing a file, or of a dry run. */
export type ImportedFile = {
  readonly file: string
  readonly format: Format
  /** Numbers of entries added, revised, deleted, and already present. */
  readonly added: number
  readonly revised: number
  readonly deleted: number
  readonly known: number
  readonly entities: number
  readonly relations: number
  readonly warnings: readonly string[]
}

/** Stores one parsed file inside the common transaction; in a dry run it only counts. */
type Store = () => ImportedFile

/** Imports files by their format, all in one transaction. Importing them again changes nothing. */
export async function importFilesInto(
  memory: Memory,
  files: readonly SourceFile[],
  options: ImportOptions,
): Promise<ImportedFile[]> {
  const formatFor = (file: SourceFile) => (options.format as Format | undefined) ?? detectFormat(file)
  const groups = Map.groupBy(files, formatFor)
  const stores: Store[] = []
  for (const [format, own] of groups) {
    // A folder may contain unrelated files; they are reported below.
    if (format === null) continue
    if (format === "aman" || format === "batch")
      for (const file of own) stores.push(await readLines(memory, format, file, options))
    else if (format === "markdown") stores.push(await readNotes(memory, own, options))
    else stores.push(await readForeign(memory, format, own, options))
  }
  const unknown = groups.get(null) ?? []
  if (stores.length === 0) formatOf(unknown[0]!)
  const storeAll = () => stores.map((store) => store())
  const done = options.dry_run ? storeAll() : memory.knowledge.write(storeAll)
  const warnings = unknown.map(({ name }) => `${name} is of no format that is known and was left out`)
  return done.map((file, index) =>
    index === 0 ? { ...file, warnings: [...file.warnings, ...warnings] } : file,
  )
}

const NOTHING = { added: 0, revised: 0, deleted: 0, known: 0, entities: 0, relations: 0, warnings: [] }

async function readLines(
  memory: Memory,
  format: "aman" | "batch",
  { name, text }: SourceFile,
  { dry_run, force = false, skip_bad = false, cwd }: ImportOptions,
): Promise<Store> {
  if (format === "aman" && cwd === undefined) throw forPersons(name)
  const bytes = bytesOf(text)
  const reading = { skipBad: skip_bad }
  if (format === "aman") {
    const exported = await readExport(bytes, name, reading)
    return () => {
      const dryRun = dry_run ?? false
      const { added, known, moved, ambiguous } = importExport(memory.knowledge, exported, { dryRun })
      const said = [
        ...moved.map(({ name: project, to }) => `${project} is ${to} here: the same remote and first commit`),
        ...ambiguous.map(
          ({ name: project, candidates }) =>
            `${project} may be one of ${candidates.join(", ")}; it is kept apart`,
        ),
        ...leftOutLines(name, exported.bad),
      ]
      return { file: name, format, ...NOTHING, added, known, warnings: said }
    }
  }
  const { entries, bad } = await readBatch(bytes, name, { ...reading, force })
  if (dry_run)
    return () => ({
      file: name,
      format,
      ...NOTHING,
      added: entries.length,
      warnings: leftOutLines(name, bad),
    })
  const asked = entries.map(({ line: _, ...entry }) => entry)
  const store = await prepareRemember(memory, asked, { force })
  return () => {
    const { entries: made, notices } = store()
    const count = (outcome: string) => made.filter((entry) => entry.outcome === outcome).length
    const counts = { added: count("stored"), revised: count("revised"), known: count("existing") }
    return { file: name, format, ...NOTHING, ...counts, warnings: [...notices, ...leftOutLines(name, bad)] }
  }
}

/**
 * Refuses logs to agents: a log may change, end or purge any entry of any project, with any author and date.
 */
function forPersons(file: string): AmanError {
  return new AmanError(
    "USAGE",
    `${file} is a log that can change entries of any project: only a person imports it`,
    {
      hint: "a person can, in a terminal: aman memory import with its path",
    },
  )
}

async function readNotes(
  memory: Memory,
  files: readonly SourceFile[],
  options: ImportOptions,
): Promise<Store> {
  if (options.dry_run) return () => notes(memory, files, options, null)
  const sources = await capturedSources(memory, editedSources(files))
  const project = await memory.ownProject()
  return () => notes(memory, files, options, { project, sources })
}

type Captured = {
  readonly project: string | null
  readonly sources: ReadonlyMap<string, EntrySource>
}

/** Plans when storing, not before, so that entries of earlier files of the same import are present. */
function notes(
  memory: Memory,
  files: readonly SourceFile[],
  { delete_missing = false, force = false }: ImportOptions,
  captured: Captured | null,
): ImportedFile {
  const plan = planMarkdown(memory.knowledge, files, { force })
  if (captured !== null) {
    applyMarkdown(memory.knowledge, plan, {
      project: captured.project,
      capture: (source) => captured.sources.get(source) ?? null,
      deleteRemoved: delete_missing,
    })
  }
  const removed = plan.removed.map(({ id }) => `${id} is no longer in it; --delete-missing deletes it`)
  return {
    ...NOTHING,
    file: namesOf(files),
    format: "markdown",
    added: plan.added.length,
    revised: plan.revised.length,
    deleted: delete_missing ? plan.removed.length : 0,
    warnings: [
      ...plan.conflicts.map(({ id, place, why }) => `${place}: ${id} ${why}; --force takes the file's`),
      ...(delete_missing ? [] : removed),
      ...plan.unread.map(({ place, why }) => `${place}: ${why}`),
    ],
  }
}

async function capturedSources(
  memory: Memory,
  typed: ReadonlySet<string>,
): Promise<Map<string, EntrySource>> {
  const sources = new Map<string, EntrySource>()
  for (const source of typed) sources.set(source, (await memory.sources.capture(source)).source)
  return sources
}

async function readForeign(
  memory: Memory,
  format: ForeignFormat,
  files: readonly SourceFile[],
  { dry_run: dryRun = false, force = false }: ImportOptions,
): Promise<Store> {
  const imported = importFiles(format, files)
  const project = dryRun ? memory.project() : await memory.ownProject()
  const now = new Date().toISOString()
  return () => {
    const report = storeImported(memory.knowledge, imported, { format, project, now, force, dryRun })
    return foreign(format, files, report)
  }
}

function foreign(format: ForeignFormat, files: readonly SourceFile[], report: ImportReport): ImportedFile {
  const count = (outcome: string) => report.entries.filter((entry) => entry.outcome === outcome).length
  const refused = report.entries.filter(({ outcome }) => outcome === "refused")
  return {
    ...NOTHING,
    file: namesOf(files),
    format,
    added: count("stored"),
    revised: count("revised"),
    known: count("known"),
    entities: report.entities,
    relations: report.relations,
    warnings: [
      ...report.warnings.map(
        ({ file, line, message }) => `${file}${line === null ? "" : `:${line}`}: ${message}`,
      ),
      ...refused.map(({ topic, reason }) => `left out of ${topic}: ${reason}`),
    ],
  }
}

const MAX_NAMED = 5

function namesOf(files: readonly SourceFile[]): string {
  const names = files.map(({ name }) => name)
  const more = names.length - MAX_NAMED
  return more > 1 ? `${names.slice(0, MAX_NAMED).join(", ")} and ${more} more` : names.join(", ")
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
