import { FILE_FLAG } from "../base/file-flag.ts"
import { definedNames, localsAmong } from "../code/defined-names.ts"
import { fileFlags } from "../code/file-flags.ts"
import { isMachineData, meanLine } from "../code/generated.ts"
import { contentKindOf, languageOf } from "../code/languages.ts"
import { nameHashes } from "../code/name-hashes.ts"
import { parseFile } from "../code/parse.ts"
import type { Chunk, CodeSymbol, ParsedFile } from "../code/parsed-file.ts"
import { readableText } from "../code/readable-text.ts"
import { basesAmong, packUses } from "../code/use-code.ts"
import type { KeywordFile } from "../keyword/port.ts"
import type { ChunkRow } from "../store/chunks.ts"
import type { NewSymbol } from "../store/symbols.ts"
import type { UsesRow } from "../store/uses.ts"
import { hashOf, readSource, type Source } from "../text/read-source.ts"
import type { FileOutcome, FileTask, ReadLimits } from "./messages.ts"

export type Processed = { readonly outcome: FileOutcome; readonly keyword: KeywordFile | null }

// A generated bundle has a few enormous lines; hand-written code rarely averages above 100 characters.
const MINIFIED_MEAN_LINE = 400
const MINIFIED_FROM = 5_000
const MINIFIABLE = /\.(?:[cm]?js|jsx|css|html?|svg|json|ts)$/iu

/** One file of the project: bytes in, rows and words out. Never throws for what a file contains. */
export async function processFile(root: string, task: FileTask, limits: ReadLimits): Promise<Processed> {
  const { path } = task
  const source = readSource(root, path, limits.maxFileBytes)
  if ("reason" in source) return without({ status: "skipped", path, ...source })
  if (source.hash === task.knownHash) {
    return without({ status: "same", path, size: source.size, mtimeMs: source.mtimeMs })
  }
  const isDenied = ((task.said ?? 0) & FILE_FLAG.deniedGenerated) !== 0
  const isTooLarge = hasTooMuch(source, path, limits.maxFileBytes)
  const reason = isTooLarge ? "too large" : isDenied ? null : leaveOut(path, source.text)
  if (reason) return without({ status: "skipped", path, size: source.size, mtimeMs: source.mtimeMs, reason })
  const parsed = await parseFile(path, source.text, {
    chunkTokens: limits.chunkTokens,
    mergeTokens: limits.mergeTokens,
    timeoutMs: limits.parseTimeoutMs,
  })
  return toRows(task, source, parsed)
}

/** A notebook may be read that is larger than others, for the sake of its cells; these may not. */
function hasTooMuch({ text, size }: Source, path: string, maxFileBytes: number): boolean {
  return size > maxFileBytes && readableText(path, text).replaceAll("\n", "").length > maxFileBytes
}

function without(outcome: FileOutcome): Processed {
  return { outcome, keyword: null }
}

function leaveOut(path: string, text: string): "minified" | "generated" | null {
  if (isMachineData(path, text)) return "generated"
  const isMinified =
    text.length >= MINIFIED_FROM && MINIFIABLE.test(path) && meanLine(text) > MINIFIED_MEAN_LINE
  return isMinified ? "minified" : null
}

function toRows(task: FileTask, source: Source, parsed: ParsedFile): Processed {
  const flags = fileFlags(task.path, source.text, task.said)
  const locals = localsAmong(parsed.chunks.flatMap(({ symbols }) => symbols))
  const language = languageOf(task.path, source.text)
  return {
    outcome: {
      status: "indexed",
      file: {
        id: task.id,
        path: task.path,
        hash: source.hash,
        size: source.size,
        mtimeMs: source.mtimeMs,
        language: parsed.language,
        content: contentKindOf(language),
        flags,
        lines: parsed.lines,
        method: parsed.method,
        degraded: parsed.degraded,
        chunks: parsed.chunks.length,
        package: parsed.package,
        imports: parsed.imports,
        names: nameHashes(parsed.chunks.flatMap((chunk) => chunk.symbols.map((symbol) => symbol.name))),
      },
      chunks: parsed.chunks.map((chunk, ordinal) => chunkRow(task.id, ordinal, chunk, parsed.text)),
      symbols: parsed.chunks.flatMap((chunk, ordinal) => symbolRows(task.id, ordinal, chunk, locals)),
      uses: usesRow(task.id, parsed, locals),
    },
    keyword: {
      id: task.id,
      path: task.path,
      text: parsed.text,
      lines: parsed.lines,
      flags,
      comments: parsed.comments,
      chunks: parsed.chunks,
    },
  }
}

function usesRow(
  fileId: number,
  { uses, chunks }: ParsedFile,
  locals: ReadonlySet<CodeSymbol>,
): UsesRow | null {
  if (uses === null) return null
  const used = uses()
  return {
    fileId,
    ...packUses(used),
    bases: basesAmong(used),
    defines: definedNames(
      chunks.flatMap(({ symbols }) => symbols),
      locals,
    ),
  }
}

function chunkRow(fileId: number, ordinal: number, chunk: Chunk, text: string): ChunkRow {
  return {
    fileId,
    ordinal,
    startLine: chunk.startLine,
    endLine: chunk.endLine,
    kind: chunk.kind,
    scope: chunk.scope,
    hash: hashOf(text.slice(chunk.start, chunk.end)),
  }
}

function symbolRows(
  fileId: number,
  ordinal: number,
  chunk: Chunk,
  locals: ReadonlySet<CodeSymbol>,
): NewSymbol[] {
  return chunk.symbols.map((symbol, index) => ({
    fileId,
    ordinal,
    index,
    name: symbol.name,
    kind: symbol.kind,
    signature: symbol.signature,
    owner: symbol.owner,
    doc: symbol.doc,
    startLine: symbol.startLine,
    endLine: symbol.endLine,
    local: locals.has(symbol) ? 1 : 0,
  }))
}
