import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { cannotWrite } from "../../../base/cannot-write.ts"
import { AmanError } from "../../../base/errors.ts"
import { isInside, realPlace } from "../../../base/paths.ts"
import { detectFormat, FORMATS } from "../../../knowledge/exchange/detect.ts"
import { exportLines } from "../../../knowledge/exchange/export-lines.ts"
import { planMarkdown } from "../../../knowledge/exchange/import-markdown.ts"
import type { SourceFile } from "../../../knowledge/exchange/imported.ts"
import {
  type MarkdownFile,
  writeMarkdown,
  writeMarkdownFolder,
} from "../../../knowledge/exchange/markdown-write.ts"
import type { KnowledgeAnswer, KnowledgeCall } from "../calls.ts"
import { type ImportedFile, importFilesInto } from "../import-knowledge.ts"
import type { Memory } from "../memory.ts"
import { readSourceFiles } from "../source-files.ts"
import { wantedEntries } from "../wanted-entries.ts"

type Call = Extract<KnowledgeCall, { action: "export" | "import" }>

/** Takes what is known out of the store, and in. */
export function exchangeCalls(memory: Memory, call: Call): Promise<KnowledgeAnswer> | KnowledgeAnswer {
  return call.action === "export" ? exported(memory, call) : imported(memory, call)
}

function exported(memory: Memory, call: Extract<Call, { action: "export" }>): KnowledgeAnswer {
  const path = call.path === "-" ? undefined : call.path
  const place = path === undefined ? null : placeOf(memory, path, call)
  if (call.cwd === undefined && place !== null && !isDirectory(place)) refuseOtherThanNotes(path!)
  const isFolder = place !== null && (/[\\/]$/.test(path!) || isDirectory(place))
  const { format = isFolder || path?.endsWith(".md") ? "markdown" : "jsonl" } = call
  const { files, count } =
    format === "markdown" ? asMarkdown(memory, call, isFolder) : asLines(memory, call, format)
  if (place === null)
    return { data: { format, count, text: files[0]!.text }, text: files[0]!.text, found: true }
  if (isFolder && format !== "markdown") {
    throw new AmanError("USAGE", `${place} is a folder`, { hint: "only Markdown makes a file a topic" })
  }
  const targets = files.map(({ name, text }) => ({ file: isFolder ? join(place, name) : place, text }))
  refuseLoss(memory, targets.map(({ file }) => file).filter(existsSync), call)
  for (const { file, text } of targets) write(file, text)
  return { data: { format, count, path: place }, text: `wrote ${count} to ${place}`, found: true }
}

/** What somebody edited since it was exported, and did not import, is not overwritten. */
function refuseLoss(
  memory: Memory,
  there: readonly string[],
  { overwrite }: { readonly overwrite?: boolean | undefined },
): void {
  const [first] = there
  if (first === undefined) return
  if (!overwrite) throw new AmanError("USAGE", `${first} is there already`, { hint: "name another file" })
  const exported = there.filter((file) => file.endsWith(".md")).map((file) => ({ file, ...ownExport(file) }))
  const edits = editedFiles(memory, exported.filter(isOwn))
  if (edits === undefined) return
  throw new AmanError("USAGE", `${edits} has edits that were not imported`, {
    hint: `run: aman memory import ${edits}, or name another file`,
  })
}

type Own = SourceFile & { readonly file: string }

function ownExport(file: string): Partial<SourceFile> {
  const [source] = readSourceFiles(file)
  return source !== undefined && detectFormat(source) === "markdown" ? source : {}
}

function isOwn(source: Partial<Own>): source is Own {
  return source.text !== undefined
}

/** The first of them that holds what the store does not. All are compared at once, one by one only where that fails. */
function editedFiles(memory: Memory, files: readonly Own[]): string | undefined {
  if (files.length === 0 || isKnown(memory, files)) return undefined
  return files.find((file) => holdsEdits(memory, [file]))?.file
}

/** An entry that changed its topic stands in the file of the former one, too: then each is looked at by itself. */
function isKnown(memory: Memory, files: readonly Own[]): boolean {
  try {
    return !holdsEdits(memory, files)
  } catch (error) {
    if (error instanceof AmanError && files.length > 1) return false
    throw error
  }
}

function holdsEdits(memory: Memory, files: readonly Own[]): boolean {
  const { revised, added, conflicts } = planMarkdown(memory.knowledge, files)
  return revised.length + added.length + conflicts.length > 0
}

/** Whole or not at all: what stood there stays where it cannot be written. */
function write(file: string, text: string): void {
  const passing = `${file}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(passing, text, { mode: 0o600 })
    renameSync(passing, file)
  } catch (cause) {
    if (existsSync(passing)) rmSync(passing)
    throw cannotWrite(file, cause, "name another file")
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

type Written = { readonly files: readonly MarkdownFile[]; readonly count: number }

function asMarkdown(memory: Memory, call: Extract<Call, { action: "export" }>, isFolder: boolean): Written {
  const { entries } = memory.knowledge.list(wantedEntries(memory, call))
  const whole = () => [{ name: "", text: writeMarkdown(entries, "What is known") }]
  return { files: isFolder ? writeMarkdownFolder(entries) : whole(), count: entries.length }
}

/** Everything, or all of this project: a history in parts would be none. */
function asLines(
  memory: Memory,
  { scope, with_paths }: Extract<Call, { action: "export" }>,
  format: string,
): Written {
  if (format !== "jsonl") {
    throw new AmanError("USAGE", `there is no format ${JSON.stringify(format)} to export`, {
      hint: "one of jsonl, markdown",
    })
  }
  const own = memory.project()
  const options = scope === "project" && own !== null ? { project: own } : {}
  const lines = [...exportLines(memory.knowledge, { ...options, withPaths: with_paths ?? false })]
  return { files: [{ name: "", text: `${lines.join("\n")}\n` }], count: lines.length }
}

async function imported(memory: Memory, call: Extract<Call, { action: "import" }>): Promise<KnowledgeAnswer> {
  const { path, format, dry_run = false } = call
  if (format !== undefined && !(FORMATS as readonly string[]).includes(format)) {
    throw new AmanError("USAGE", `there is no format ${JSON.stringify(format)} to import`, {
      hint: `one of ${FORMATS.join(", ")}`,
    })
  }
  const files = await importFilesInto(memory, readSourceFiles(placeOf(memory, path, call)), call)
  return {
    data: { dry_run, files },
    text: files.map((file) => fileLine(file, dry_run)).join("\n"),
    found: true,
  }
}

/** A person names any file; what an agent names lies in the project, whatever it was told to do. */
function placeOf(memory: Memory, path: string, { cwd }: { readonly cwd?: string | undefined }): string {
  if (cwd !== undefined) return resolve(cwd, path)
  const { root } = memory
  const file = root === null ? null : resolve(root, path)
  if (root !== null && file !== null && isInside(root, realPlace(file))) {
    if (!isOfGit(root, realPlace(file))) return file
    throw new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} is git's own`, {
      hint: "name a file beside it",
    })
  }
  throw new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} is outside the project`, {
    hint: "a person can: aman memory export | import PATH",
  })
}

/** What lies there can change what git runs. */
function isOfGit(root: string, file: string): boolean {
  return relative(root, file)
    .split(/[\\/]/)
    .some((part) => part.toLowerCase() === ".git")
}

/** An agent writes notes, whatever it was told to write: no settings, no scripts. */
function refuseOtherThanNotes(path: string): void {
  if (/\.(?:md|jsonl)$|[\\/]$/i.test(path)) return
  throw new AmanError("USAGE", `${JSON.stringify(path)} is no name for notes`, {
    hint: "let it end in .md or .jsonl, or in / for a folder",
  })
}

function fileLine({ file, format, warnings, ...counts }: ImportedFile, isDry: boolean): string {
  const said = Object.entries(counts).filter(([, value]) => value > 0)
  const what = said.map(([name, value]) => `${value} ${name}`).join(", ") || "nothing new"
  const lines = warnings.map((warning) => `  ${warning}`)
  return [`${file} (${format}): ${isDry ? "would be " : ""}${what}`, ...lines].join("\n")
}
