/*
 * Export and import of entries. `exportEntries`: 1. checks the target path (an agent may only write files for notes inside
 * the project); 2. renders Markdown or JSON Lines; 3. refuses to overwrite edits that were never imported; 4. writes
 * each file completely or not at all. `importEntries` passes the files to import-knowledge.ts.
 */

import { existsSync, statSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { AmanError, cannotWrite, isInside, OpenFolder, realPlace, replaceFile } from "../../../base/index.ts"
import type { Entry } from "../../entries/entry.ts"
import type { Given } from "../../entries/entry-fields.ts"
import type { StoreFilter } from "../../entries/list-entries.ts"
import { type ExportSelection, exportLines } from "../../formats/export.ts"
import { detectFormat } from "../../formats/import-formats.ts"
import type { SourceFile } from "../../formats/imported.ts"
import {
  isTouched,
  MARKDOWN,
  type MarkdownFile,
  planMarkdown,
  writeMarkdown,
  writeMarkdownFolder,
} from "../../formats/markdown.ts"
import { isPrivate } from "../../sharing/sync-shared.ts"
import { storeFilterFor } from "../entries/entry-names.ts"
import { entryCount } from "../entries/entry-output.ts"
import { formatNamed, type ImportedFile, importFilesInto } from "../import-files.ts"
import type { Memory } from "../memory.ts"
import type { EntryFilter } from "../requests.ts"
import { readSourceFiles } from "../source-files.ts"
import type { KnowledgeAnswer } from "./answer.ts"

/** Working directory of a person; a person's paths may lead anywhere. Absent if an agent calls. */
type FromPerson = { readonly cwd?: string | undefined }

/**
 * `with_deleted`: include deleted entries; only for JSON Lines. `everything`: a full backup, with every project, all
 * revisions and deleted entries; not available to agents.
 */
type ExportArgs = FromPerson &
  EntryFilter &
  Given<Record<"overwrite" | "with_paths" | "with_deleted" | "everything", boolean>> &
  Given<Record<"path" | "format", string>>

type ImportArgs = FromPerson &
  Given<Record<"dry_run" | "delete_missing" | "force" | "skip_bad", boolean>> & {
    readonly path: string
    readonly format?: string | undefined
  }

/** Exports and imports entries. */
export const handlers = { export: exportEntries, import: importEntries }

function exportEntries(memory: Memory, call: ExportArgs): KnowledgeAnswer {
  // If git failed to identify the project, the export would lack its entries and could overwrite a file that contains
  // them.
  memory.requireIdentified()
  const path = call.path === "-" ? undefined : call.path
  const place = path === undefined ? null : permittedPath(memory, path, call)
  if (call.cwd === undefined && place !== null && !isDirectory(place)) refuseOtherThanNotes(path!)
  const isFolder = place !== null && (/[\\/]$/.test(path!) || isDirectory(place))
  const { format = isFolder || path?.endsWith(".md") ? "markdown" : "jsonl" } = call
  const { files, count, notices } = exported(memory, call, format, isFolder)
  if (place === null)
    return { data: { format, count, text: files[0]!.text, notices }, text: files[0]!.text, found: true }
  if (isFolder && format !== "markdown") {
    throw new AmanError("USAGE", `${place} is a folder`, {
      hint: "only the Markdown format writes one file for each topic",
    })
  }
  const targets = files.map(({ name, text }) => ({ file: isFolder ? join(place, name) : place, text }))
  if (call.cwd === undefined) refuseAgentsFiles(memory, path!, targets)
  refuseLoss(memory, targets.map(({ file }) => file).filter(existsSync), call)
  // The path of an agent was checked after resolving its links, so a link created since then must not be followed.
  for (const { file, text } of targets) writeWhole(file, text, call.cwd === undefined)
  return { data: { format, count, path: place, notices }, text: `wrote ${count} to ${place}`, found: true }
}

/** Throws USAGE for options that Markdown does not support: it has only what people can edit and import again. */
function refuseFullBackup({ everything, with_deleted }: ExportArgs): void {
  if (!everything && !with_deleted) return
  throw new AmanError("USAGE", "Markdown cannot hold a full backup", {
    hint: "use --format jsonl, or a file name ending in .jsonl",
  })
}

/** Checks every file, because an export to a folder names each file after its topic, and a topic may be "agents". */
function refuseAgentsFiles({ root }: Memory, path: string, targets: readonly { readonly file: string }[]) {
  if (root !== null) for (const { file } of targets) refuseInstructions(root, file, path)
}

/** Throws if one of the existing files has edits that were never imported, which the export would overwrite. */
function refuseLoss(memory: Memory, existing: readonly string[], { overwrite }: ExportArgs): void {
  const [first] = existing
  if (first === undefined) return
  if (!overwrite) throw new AmanError("USAGE", `${first} already exists`, { hint: "choose another file" })
  const exported = existing
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) => {
      const [source] = readSourceFiles(file).files
      return source !== undefined && detectFormat(source) === MARKDOWN ? [{ ...source, file }] : []
    })
  const edits = exported.find((file) => isTouched(file.text) && hasEdits(memory, file))?.file
  if (edits === undefined) return
  throw new AmanError("USAGE", `${edits} has edits that were not imported yet`, {
    hint: `run: aman memory import ${edits}, or choose another file`,
  })
}

/** True if importing this Markdown file would change the store. */
function hasEdits(memory: Memory, file: SourceFile): boolean {
  const { revised, added, conflicts } = planMarkdown(memory.knowledge, [file])
  return revised.length + added.length + conflicts.length > 0
}

/** Writes the file completely or not at all; on failure the old content stays. */
function writeWhole(file: string, text: string, isStrict: boolean): void {
  try {
    using folder = OpenFolder.open(dirname(file), { make: 0o777, isStrict })
    replaceFile(join(folder.at, basename(file)), text)
  } catch (cause) {
    throw cannotWrite(file, cause, "choose another file")
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/**
 * The files of an export, with notices about what they leave out. JSON Lines have the entries that the action `list` returns
 * for the same filter, or the whole store.
 */
function exported(memory: Memory, call: ExportArgs, format: string, isFolder: boolean) {
  if (format === "markdown") {
    refuseFullBackup(call)
    const { entries, notices } = choose(memory, call)
    const files: MarkdownFile[] = isFolder
      ? writeMarkdownFolder(entries)
      : [{ name: "", text: writeMarkdown(entries, "Memories") }]
    return { files, count: entries.length, notices }
  }
  if (format !== "jsonl") {
    throw new AmanError("USAGE", `unknown export format ${JSON.stringify(format)}`, {
      hint: "one of jsonl, markdown",
    })
  }
  const choice = call.everything ? null : choose(memory, call)
  const selection = choice && { selection: choice.selection }
  const lines = [...exportLines(memory.knowledge, { ...selection, withPaths: call.with_paths ?? false })]
  const count = choice?.selection.entries.size ?? lines.length
  return { files: [{ name: "", text: `${lines.join("\n")}\n` }], count, notices: choice?.notices ?? [] }
}

/**
 * The entries to export and the deleted ones, with a notice for each kind of entry that is left out. An agent's export
 * contains only entries of this project, and none that are private.
 */
function choose(memory: Memory, call: ExportArgs) {
  const { knowledge } = memory
  const isPerson = call.cwd !== undefined
  const filter = storeFilterFor(memory, isPerson ? call : { ...call, scope: "project" })
  const { projects = null, ...filters } = filter
  const permitted = (entries: readonly Entry[]) =>
    isPerson ? entries : entries.filter((entry) => !isPrivate(entry))
  const listed = knowledge.list(filter).entries
  const entries = permitted(listed)
  const deleted = knowledge.list({ ...filter, deleted: true }).entries
  const countIn = (some: StoreFilter) => knowledge.list(some, { limit: 0 }).total
  const others = projects === null ? 0 : countIn({}) - countIn({ projects })
  const notice = (count: number, what: string, flag: string) => {
    const how = isPerson ? `; to include them: ${flag}` : ""
    return count === 0
      ? []
      : [`${entryCount(count)} not exported: ${count === 1 ? "it is" : "they are"} ${what}${how}`]
  }
  const notices = [
    ...notice(call.with_deleted ? 0 : deleted.length, "deleted", "--with-deleted"),
    ...notice(listed.length - entries.length, "private", ""),
    ...notice(others, isPerson ? "in other projects" : "for all projects", "--scope all"),
  ]
  const all = [...entries, ...(call.with_deleted ? permitted(deleted) : [])]
  // Entities may be named by private entries alone.
  const onlyNamed = Object.keys(filters).length > 0 || !isPerson
  const selection: ExportSelection = { entries: new Set(all.map(({ id }) => id)), projects, onlyNamed }
  return { entries, selection, notices }
}

async function importEntries(memory: Memory, call: ImportArgs): Promise<KnowledgeAnswer> {
  const { path, dry_run = false } = call
  const format = formatNamed(call.format)
  const sources = readSourceFiles(permittedPath(memory, path, call), memory.root)
  const files = await importFilesInto(memory, sources.files, { ...call, format })
  // The import may have added a project that this folder resembles.
  await memory.identify({ make: false })
  if (!dry_run) await memory.prepareRecall()
  const secret = sources.secret.map((name) => `${name} was skipped because it may hold secrets`)
  const notices = [...secret, ...memory.notices]
  return {
    data: { dry_run, files, notices },
    text: [...files.map((file) => fileLine(file, dry_run)), ...notices].join("\n"),
    found: true,
  }
}

/** The absolute path to read or write. A person's path may be anywhere; an agent's path must be in the project. */
function permittedPath(memory: Memory, path: string, { cwd }: FromPerson): string {
  if (cwd !== undefined) return resolve(cwd, path)
  const { root } = memory
  const file = root === null ? null : realPlace(resolve(root, path))
  if (root === null || file === null || !isInside(root, file)) {
    throw new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} is outside the project`, {
      hint: "a person can: aman memory export | import PATH",
    })
  }
  // Files in .git can make git execute programs.
  const parts = relative(root, file).split(/[\\/]/)
  if (!parts.some((part) => part.toLowerCase() === ".git")) return file
  throw new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} belongs to git`, {
    hint: "choose a file outside .git",
  })
}

/** Throws if an agent's path is not a file for notes, so that an agent cannot write settings or scripts. */
function refuseOtherThanNotes(path: string): void {
  if (/\.(?:md|jsonl)$|[\\/]$/i.test(path)) return
  throw new AmanError("USAGE", `${JSON.stringify(path)} is not a valid name for notes`, {
    hint: "use a name that ends in .md or .jsonl, or in / for a folder",
  })
}

function fileLine({ file, format, warnings, ...counts }: ImportedFile, isDry: boolean): string {
  const changed = Object.entries(counts).filter(([, value]) => value > 0)
  const what = changed.map(([name, value]) => `${value} ${name}`).join(", ") || "nothing new"
  const lines = warnings.map((warning) => `  ${warning}`)
  return [`${file} (${format}): ${isDry ? "would be " : ""}${what}`, ...lines].join("\n")
}

/**
 * Throws USAGE for a file that agents would read as instructions, that tools read as settings, or that a
 * build publishes. `named` is the path as the agent wrote it.
 */
function refuseInstructions(root: string, file: string, named: string): void {
  const parts = relative(realPlace(root), realPlace(file)).split(/[\\/]/)
  const name = parts.at(-1)!
  const problem =
    unsafePart(parts) ?? (/\.jsonl$/i.test(name) ? null : instructionsIn(parts.slice(0, -1), name))
  if (problem === null) return
  throw new AmanError("USAGE", `an agent cannot export to ${JSON.stringify(named)}: ${problem}`, {
    hint: "use a .jsonl file, or Markdown such as notes/decisions.md; a person can run: aman memory export PATH",
  })
}

/**
 * Names that mean the same file on every file system. Some file systems ignore trailing dots and spaces and
 * invisible characters, or accept a second, short name with ~.
 */
const PLAIN = /^[\p{L}\p{N}._-](?:[\p{L}\p{N}\p{M}._ -]*[\p{L}\p{N}\p{M}_-])?$/u

function unsafePart(parts: readonly string[]): string | null {
  if (parts.some((part) => part.startsWith("."))) return "hidden files and folders hold settings"
  const odd = parts.find((part) => !PLAIN.test(part))
  if (odd === undefined) return null
  return `${JSON.stringify(odd)} is not portable; use letters, digits, spaces, dots, - and _`
}

/** Folders that no agent or tool reads, except for the names in INSTRUCTIONS, which agents read in every folder. */
const NOTES: ReadonlySet<string> = new Set(["notes", "aman-notes", "aman-export"])

const INSTRUCTIONS =
  /^(?:claude|agents?|gemini|qwen|codex|crush|warp|copilot|cursor|windsurf|cline|goose|opencode|skills?|conventions)(?:[._ -]|$)|[._ -](?:instructions?|prompt|chatmode|rules?|agent)\.md$|^(?:instructions?|prompt|rules?)\.md$/i

function instructionsIn(folders: readonly string[], name: string): string | null {
  // Some file systems treat different letters as equal: K (Kelvin) and k, ſ and s.
  if (INSTRUCTIONS.test(name.normalize("NFKD").replace(/\p{M}/gu, "")))
    return `agents read ${name} as instructions`
  const [first = ""] = folders
  if (NOTES.has(first.toLowerCase())) return null
  return "Markdown there may be read as instructions or be published; use notes/"
}
