import { existsSync, realpathSync, renameSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { AmanError } from "../../../base/errors.ts"
import { isInside } from "../../../base/paths.ts"
import { FORMATS } from "../../../knowledge/exchange/detect.ts"
import { exportLines } from "../../../knowledge/exchange/export-lines.ts"
import { writeMarkdown } from "../../../knowledge/exchange/markdown-write.ts"
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
  const { format = call.path?.endsWith(".md") ? "markdown" : "jsonl", path } = call
  const { text, count } = format === "markdown" ? asMarkdown(memory, call) : asLines(memory, call, format)
  if (path === undefined) return { data: { format, count, text }, text, found: true }
  const file = placeOf(memory, path, call)
  if (existsSync(file) && !call.overwrite) {
    throw new AmanError("USAGE", `${file} is there already`, { hint: "name another file" })
  }
  const passing = `${file}.${process.pid}.tmp`
  writeFileSync(passing, text, { mode: 0o600 })
  renameSync(passing, file)
  return { data: { format, count, path: file }, text: `wrote ${count} to ${file}`, found: true }
}

function asMarkdown(memory: Memory, call: Extract<Call, { action: "export" }>) {
  const { entries } = memory.knowledge.list(wantedEntries(memory, call))
  return { text: writeMarkdown(entries, "What is known"), count: entries.length }
}

/** Everything, or all of this project: a history in parts would be none. */
function asLines(memory: Memory, { scope }: Extract<Call, { action: "export" }>, format: string) {
  if (format !== "jsonl") {
    throw new AmanError("USAGE", `there is no format ${JSON.stringify(format)} to export`, {
      hint: "one of jsonl, markdown",
    })
  }
  const own = memory.project()
  const lines = [
    ...exportLines(memory.knowledge, scope === "project" && own !== null ? { project: own } : {}),
  ]
  return { text: `${lines.join("\n")}\n`, count: lines.length }
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
  if (root !== null && file !== null && isInside(root, realPlace(file))) return file
  throw new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} is outside the project`, {
    hint: "a person can: aman memory export | import PATH",
  })
}

/** With links resolved, as far as it is there. */
function realPlace(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    const folder = dirname(file)
    return folder === file ? file : join(realPlace(folder), basename(file))
  }
}

function fileLine({ file, format, warnings, ...counts }: ImportedFile, isDry: boolean): string {
  const said = Object.entries(counts).filter(([, value]) => value > 0)
  const what = said.map(([name, value]) => `${value} ${name}`).join(", ") || "nothing new"
  const lines = warnings.map((warning) => `  ${warning}`)
  return [`${file} (${format}): ${isDry ? "would be " : ""}${what}`, ...lines].join("\n")
}
