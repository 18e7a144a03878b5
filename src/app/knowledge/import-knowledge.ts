import type { EntrySource } from "../../knowledge/entry.ts"
import type { BadLine } from "../../knowledge/exchange/bad-lines.ts"
import { readBatch } from "../../knowledge/exchange/batch.ts"
import { detectFormat, type Format } from "../../knowledge/exchange/detect.ts"
import { importExport } from "../../knowledge/exchange/import-export.ts"
import { applyMarkdown, editedSources, planMarkdown } from "../../knowledge/exchange/import-markdown.ts"
import { type ForeignFormat, formatOf, importFiles } from "../../knowledge/exchange/import-source.ts"
import type { SourceFile } from "../../knowledge/exchange/imported.ts"
import { readExport } from "../../knowledge/exchange/read-export.ts"
import { type ImportReport, storeImported } from "../../knowledge/exchange/store-imported.ts"
import type { Memory } from "./memory.ts"
import { readyToRemember } from "./remember.ts"

export type ImportOptions = {
  readonly format?: string | undefined
  readonly dry_run?: boolean | undefined
  readonly delete_missing?: boolean | undefined
  readonly force?: boolean | undefined
  /** Leaves lines out that cannot be read. */
  readonly skip_bad?: boolean | undefined
}

/** What became of a file, or would. */
export type ImportedFile = {
  readonly file: string
  readonly format: Format
  /** Entries made, changed, deleted, and known already. */
  readonly added: number
  readonly revised: number
  readonly deleted: number
  readonly known: number
  readonly entities: number
  readonly relations: number
  readonly warnings: readonly string[]
}

/** What stores a file that was read, within a transaction of them all; or only says what it would store. */
type Store = () => ImportedFile

/** Takes in what files hold, each kind as it wants: all of them or nothing. Twice is the same as once. */
export async function importFilesInto(
  memory: Memory,
  files: readonly SourceFile[],
  options: ImportOptions,
): Promise<ImportedFile[]> {
  const formatFor = (file: SourceFile) => (options.format as Format | undefined) ?? detectFormat(file)
  const groups = Map.groupBy(files, formatFor)
  const stores: Store[] = []
  for (const [format, own] of groups) {
    // In a folder there is always something else, too.
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
  { dry_run, force = false, skip_bad = false }: ImportOptions,
): Promise<Store> {
  const bytes = bytesOf(text)
  const reading = { skipBad: skip_bad }
  if (format === "aman") {
    const exported = await readExport(bytes, name, reading)
    return () => {
      const dryRun = dry_run ?? false
      const { added, known, ambiguous } = importExport(memory.knowledge, exported, { dryRun })
      const warnings = ambiguous.map(
        ({ name: project, candidates }) =>
          `${project} may be one of ${candidates.join(", ")}; it is kept apart`,
      )
      const said = [...warnings, ...leftOut(name, exported.bad)]
      return { file: name, format, ...NOTHING, added, known, warnings: said }
    }
  }
  const { entries, bad } = await readBatch(bytes, name, reading)
  if (dry_run) return () => ({ file: name, format, ...NOTHING, added: entries.length })
  const asked = entries.map(({ line: _, ...entry }) => entry)
  const store = await readyToRemember(memory, asked, { force })
  return () => {
    const { entries: made, notices } = store()
    const count = (outcome: string) => made.filter((entry) => entry.outcome === outcome).length
    const counts = { added: count("stored"), revised: count("revised"), known: count("existing") }
    return { file: name, format, ...NOTHING, ...counts, warnings: [...notices, ...leftOut(name, bad)] }
  }
}

function leftOut(file: string, bad: readonly BadLine[]): string[] {
  return bad.map(({ line, message }) => `${file}:${line} was left out: ${message}`)
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

/** Planned where it is done: what another file of the folder brings is there by then. */
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

const NAMED = 5

function namesOf(files: readonly SourceFile[]): string {
  const names = files.map(({ name }) => name)
  const more = names.length - NAMED
  return more > 1 ? `${names.slice(0, NAMED).join(", ")} and ${more} more` : names.join(", ")
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
