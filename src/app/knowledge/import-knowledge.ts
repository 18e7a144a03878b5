import type { EntrySource } from "../../knowledge/entry.ts"
import type { BadLine } from "../../knowledge/exchange/bad-lines.ts"
import { readBatch } from "../../knowledge/exchange/batch.ts"
import { detectFormat, type Format } from "../../knowledge/exchange/detect.ts"
import { importExport } from "../../knowledge/exchange/import-export.ts"
import { applyMarkdown, planMarkdown } from "../../knowledge/exchange/import-markdown.ts"
import { type ForeignFormat, formatOf, importFiles } from "../../knowledge/exchange/import-source.ts"
import type { SourceFile } from "../../knowledge/exchange/imported.ts"
import { readExport } from "../../knowledge/exchange/read-export.ts"
import { storeImported } from "../../knowledge/exchange/store-imported.ts"
import type { Memory } from "./memory.ts"
import { rememberAll } from "./remember.ts"

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

/** Takes in what files hold, each kind as it wants. Twice is the same as once. */
export async function importFilesInto(
  memory: Memory,
  files: readonly SourceFile[],
  options: ImportOptions,
): Promise<ImportedFile[]> {
  const formatFor = (file: SourceFile) => (options.format as Format | undefined) ?? detectFormat(file)
  const groups = Map.groupBy(files, formatFor)
  const done: ImportedFile[] = []
  for (const [format, own] of groups) {
    // In a folder there is always something else, too.
    if (format === null) continue
    if (format === "aman" || format === "batch")
      for (const file of own) done.push(await importLines(memory, format, file, options))
    else if (format === "markdown") done.push(await importMarkdown(memory, own, options))
    else done.push(await importForeign(memory, format, own, options))
  }
  const unknown = groups.get(null) ?? []
  if (done.length === 0) formatOf(unknown[0]!)
  const warnings = unknown.map(({ name }) => `${name} is of no format that is known and was left out`)
  return done.map((file, index) =>
    index === 0 ? { ...file, warnings: [...file.warnings, ...warnings] } : file,
  )
}

const NOTHING = { added: 0, revised: 0, deleted: 0, known: 0, entities: 0, relations: 0, warnings: [] }

async function importLines(
  memory: Memory,
  format: "aman" | "batch",
  { name, text }: SourceFile,
  { dry_run, force = false, skip_bad = false }: ImportOptions,
): Promise<ImportedFile> {
  const bytes = bytesOf(text)
  const reading = { skipBad: skip_bad }
  if (format === "aman") {
    const exported = await readExport(bytes, name, reading)
    const { added, known, ambiguous } = importExport(memory.knowledge, exported, { dryRun: dry_run ?? false })
    const warnings = ambiguous.map(
      ({ name: project, candidates }) =>
        `${project} may be one of ${candidates.join(", ")}; it is kept apart`,
    )
    return {
      file: name,
      format,
      ...NOTHING,
      added,
      known,
      warnings: [...warnings, ...leftOut(name, exported.bad)],
    }
  }
  const { entries, bad } = await readBatch(bytes, name, reading)
  if (dry_run) return { file: name, format, ...NOTHING, added: entries.length }
  const asked = entries.map(({ line: _, ...entry }) => entry)
  const { entries: made, notices } = await rememberAll(memory, asked, { force })
  const count = (outcome: string) => made.filter((entry) => entry.outcome === outcome).length
  const counts = { added: count("stored"), revised: count("revised"), known: count("existing") }
  return { file: name, format, ...NOTHING, ...counts, warnings: [...notices, ...leftOut(name, bad)] }
}

function leftOut(file: string, bad: readonly BadLine[]): string[] {
  return bad.map(({ line, message }) => `${file}:${line} was left out: ${message}`)
}

async function importMarkdown(
  memory: Memory,
  files: readonly SourceFile[],
  { dry_run, delete_missing = false, force = false }: ImportOptions,
): Promise<ImportedFile> {
  const plan = planMarkdown(memory.knowledge, files, { force })
  if (!dry_run) {
    const sources = await capturedSources(memory, [
      ...plan.added,
      ...plan.revised.map(({ changes }) => changes),
    ])
    applyMarkdown(memory.knowledge, plan, {
      project: await memory.ownProject(),
      capture: (source) => sources.get(source) ?? null,
      deleteRemoved: delete_missing,
    })
  }
  const removed = plan.removed.map(({ id }) => `${id} is no longer in it; --delete-missing deletes it`)
  return {
    ...NOTHING,
    file: files.map(({ name }) => name).join(", "),
    format: "markdown",
    added: plan.added.length,
    revised: plan.revised.length,
    deleted: delete_missing ? plan.removed.length : 0,
    warnings: [
      ...plan.conflicts.map(({ id, place, why }) => `${place}: ${id} ${why}; --force takes the file's`),
      ...(delete_missing ? [] : removed),
    ],
  }
}

async function capturedSources(
  memory: Memory,
  forms: readonly { readonly source?: string | null }[],
): Promise<Map<string, EntrySource>> {
  const sources = new Map<string, EntrySource>()
  for (const { source } of forms)
    if (source && !sources.has(source)) sources.set(source, (await memory.sources.capture(source)).source)
  return sources
}

async function importForeign(
  memory: Memory,
  format: ForeignFormat,
  files: readonly SourceFile[],
  { dry_run = false, force = false }: ImportOptions,
): Promise<ImportedFile> {
  const report = storeImported(memory.knowledge, importFiles(format, files), {
    format,
    project: dry_run ? memory.project() : await memory.ownProject(),
    now: new Date().toISOString(),
    force,
    dryRun: dry_run,
  })
  const count = (outcome: string) => report.entries.filter((entry) => entry.outcome === outcome).length
  const refused = report.entries.filter(({ outcome }) => outcome === "refused")
  return {
    ...NOTHING,
    file: files.map(({ name }) => name).join(", "),
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

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
