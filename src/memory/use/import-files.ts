/*
 * Imports files of all formats. `importFilesInto`: 1. reads the files, without those that may contain secrets; 2.
 * detects the format of each; 3. parses them, which is asynchronous because sources are captured; 4. stores
 * everything in one transaction, or only counts in a dry run.
 */

import { AmanError } from "../../base/index.ts"
import type { EntrySource } from "../entries/entry.ts"
import type { Given } from "../entries/entry-fields.ts"
import { BATCH, readBatch } from "../formats/batch.ts"
import { AMAN, importExport, readExport } from "../formats/export.ts"
import { detectFormat, IMPORT_FORMATS, importFiles, isForeign } from "../formats/import-formats.ts"
import { type ForeignFormat, type ImportFormat, remarkText, type SourceFile } from "../formats/imported.ts"
import { applyMarkdown, editedSources, MARKDOWN, planMarkdown } from "../formats/markdown.ts"
import { storeImported } from "../formats/store-imported.ts"
import type { Memory } from "./memory.ts"
import { leftOutLines, prepareRemember } from "./remember.ts"

type ImportOptions = {
  /** The format of all files; absent: detected for each file. */
  readonly format?: ImportFormat | undefined
  /** Working folder of a person; absent for an agent. */
  readonly cwd?: string | undefined
} & Given<Record<"dry_run" | "delete_missing" | "force" | "skip_bad", boolean>>

/** Result of importing a file, or of a dry run. */
export type ImportedFile = {
  readonly file: string
  readonly format: string
  /** Numbers of entries added, revised, deleted, and already present. */
  readonly added: number
  readonly revised: number
  readonly deleted: number
  readonly known: number
  readonly entities: number
  readonly relations: number
  readonly warnings: readonly string[]
}

/** Imports files by their format, all in one transaction. Importing them again changes nothing. */
export async function importFilesInto(
  memory: Memory,
  files: readonly SourceFile[],
  options: ImportOptions,
): Promise<ImportedFile[]> {
  const groups = Map.groupBy(files, (file) => options.format ?? detectFormat(file))
  // Each stores one parsed file inside the common transaction; in a dry run it only counts.
  const stores: (() => ImportedFile)[] = []
  for (const [format, ofFormat] of groups) {
    // A folder may contain unrelated files; they are reported below.
    if (format !== null) stores.push(...(await readSources(memory, format, ofFormat, options)))
  }
  const unknown = groups.get(null) ?? []
  if (stores.length === 0) throw unknownFormat(unknown[0]!)
  const storeAll = () => stores.map((store) => store())
  const done = options.dry_run ? storeAll() : memory.knowledge.write(storeAll)
  const warnings = unknown.map(({ name }) => `${name} was skipped because its format is unknown`)
  return done.map((file, index) =>
    index === 0 ? { ...file, warnings: [...file.warnings, ...warnings] } : file,
  )
}

async function readSources(
  memory: Memory,
  format: ImportFormat,
  files: readonly SourceFile[],
  options: ImportOptions,
) {
  if (isForeign(format)) return [await readForeign(memory, format, files, options)]
  if (format === MARKDOWN) return [await readMarkdownFiles(memory, files, options)]
  const read = format === AMAN ? readExportFile : readBatchLines
  const stores: (() => ImportedFile)[] = []
  for (const file of files) stores.push(await read(memory, file, options))
  return stores
}

/** The format with this name; undefined without a name. Throws USAGE for an unknown one. */
export function formatNamed(name: string | undefined): ImportFormat | undefined {
  const format = IMPORT_FORMATS.find((each) => each.name === name)
  if (name === undefined || format !== undefined) return format
  throw new AmanError("USAGE", `there is no format ${JSON.stringify(name)} to import`, {
    hint: `one of ${formatNames()}`,
  })
}

function unknownFormat({ name }: SourceFile): AmanError {
  const hint = `set --format to one of ${formatNames()}`
  return new AmanError("USAGE", `${name} has an unknown format`, { hint })
}

function formatNames(): string {
  return IMPORT_FORMATS.map(({ name }) => name).join(", ")
}

const NOTHING = { added: 0, revised: 0, deleted: 0, known: 0, entities: 0, relations: 0, warnings: [] }

/** Max projects of an export that are named because none of them is this folder. */
const MAX_PROJECTS = 3

function readExportFile(
  memory: Memory,
  { name, text }: SourceFile,
  { dry_run: dryRun = false, skip_bad: skipBad = false, cwd }: ImportOptions,
) {
  // A log can change any entry of any project, with any author and date.
  if (cwd === undefined) {
    const why = "is an event log that can change entries of any project, so only a person may import it"
    throw new AmanError("USAGE", `${name} ${why}`, {
      hint: "a person can run in a terminal: aman memory import with its path",
    })
  }
  const exported = readExport(text, name, { skipBad })
  return (): ImportedFile => {
    const { added, known, moved, ambiguous, projects } = importExport(memory.knowledge, exported, { dryRun })
    const own = memory.project()
    const isElsewhere = projects.length > 0 && projects.every(({ id }) => id !== own)
    const warnings = [
      ...(isElsewhere ? projects.slice(0, MAX_PROJECTS) : []).map(
        ({ name: project, id }) =>
          `the entries of ${project} are not those of this folder; if it is that project: aman memory link ${id}`,
      ),
      ...moved.map(
        ({ name: project, to }) => `${project} matches ${to} on this machine (same remote and first commit)`,
      ),
      ...ambiguous.map(
        ({ name: project, candidates }) =>
          `${project} may be one of ${candidates.join(", ")}; it is kept as a separate project`,
      ),
      ...leftOutLines(name, exported.bad),
    ]
    return { file: name, format: AMAN.name, ...NOTHING, added, known, warnings }
  }
}

async function readBatchLines(
  memory: Memory,
  { name, text }: SourceFile,
  { dry_run, force = false, skip_bad: skipBad = false }: ImportOptions,
) {
  const { entries, bad } = readBatch(text, name, { skipBad, force })
  const warnings = leftOutLines(name, bad)
  const file = { file: name, format: BATCH.name, ...NOTHING }
  if (dry_run) return () => ({ ...file, added: entries.length, warnings })
  const store = await prepareRemember(memory, entries, { force })
  return (): ImportedFile => {
    const { entries: made, notices } = store()
    const count = (outcome: string) => made.filter((entry) => entry.outcome === outcome).length
    const counts = { added: count("stored"), revised: count("revised"), known: count("existing") }
    return { ...file, ...counts, warnings: [...notices, ...warnings] }
  }
}

async function readMarkdownFiles(memory: Memory, files: readonly SourceFile[], options: ImportOptions) {
  if (options.dry_run) return () => storeMarkdown(memory, files, options, null)
  const sources = new Map<string, EntrySource>()
  for (const typed of editedSources(files)) sources.set(typed, (await memory.sources.capture(typed)).source)
  const project = await memory.ownProject()
  return () => storeMarkdown(memory, files, options, { project, sources })
}

/**
 * Imports Markdown files; without `captured` it only counts. The files are compared with the store here, inside the
 * transaction, so that entries of earlier files of the same import are present.
 */
function storeMarkdown(
  memory: Memory,
  files: readonly SourceFile[],
  { delete_missing = false, force = false }: ImportOptions,
  captured: { readonly project: string | null; readonly sources: ReadonlyMap<string, EntrySource> } | null,
): ImportedFile {
  const plan = planMarkdown(memory.knowledge, files, { force })
  if (captured !== null) {
    applyMarkdown(memory.knowledge, plan, {
      project: captured.project,
      capture: (source) => captured.sources.get(source) ?? null,
      deleteRemoved: delete_missing,
    })
  }
  const removed = plan.removed.map(({ id }) => `${id} is missing in the file; to delete it: --delete-missing`)
  const [added, revised] = [plan.added.length, plan.revised.length]
  const deleted = delete_missing ? plan.removed.length : 0
  return {
    ...{ ...NOTHING, file: fileNames(files), format: MARKDOWN.name, added, revised, deleted },
    warnings: [
      ...plan.conflicts.map(
        ({ id, place, why }) => `${place}: ${id} ${why}; to use the file's version: --force`,
      ),
      ...(delete_missing ? [] : removed),
      ...plan.unread.map(({ place, why }) => `${place}: ${why}`),
    ],
  }
}

async function readForeign(
  memory: Memory,
  format: ForeignFormat,
  files: readonly SourceFile[],
  { dry_run: dryRun = false, force = false }: ImportOptions,
) {
  const imported = importFiles(format, files)
  const isEmpty = Object.values(imported).every(({ length }) => length === 0)
  const project = dryRun ? memory.project() : await memory.ownProject()
  const now = new Date().toISOString()
  return (): ImportedFile => {
    const target = { format: format.name, project, now, force, dryRun }
    const { entries, entities, relations, warnings } = storeImported(memory.knowledge, imported, target)
    const count = (wanted: string) => entries.filter(({ outcome }) => outcome === wanted).length
    const refused = entries.filter(({ outcome }) => outcome === "refused")
    return {
      ...{ ...NOTHING, file: fileNames(files), format: format.name, entities, relations },
      ...{ added: count("stored"), revised: count("revised"), known: count("known") },
      warnings: [
        ...(isEmpty ? ["nothing of this format was found"] : []),
        ...warnings.map(remarkText),
        ...refused.map(({ topic, reason }) => `skipped in ${topic}: ${reason}`),
      ],
    }
  }
}

const MAX_NAMED = 5

function fileNames(files: readonly SourceFile[]): string {
  const names = files.map(({ name }) => name)
  const more = names.length - MAX_NAMED
  return more > 1 ? `${names.slice(0, MAX_NAMED).join(", ")} and ${more} more` : names.join(", ")
}
