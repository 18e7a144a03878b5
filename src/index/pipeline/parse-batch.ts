import {
  declaredEncoding,
  encodingFlags,
  enterPhase,
  FILE_FLAG,
  residentBytes,
  takePhaseTimes,
} from "../../base/index.ts"
import {
  basesAmong,
  type Chunk,
  type CodeSymbol,
  contentKindOf,
  DEFAULT_PARSE_OPTIONS,
  definedNames,
  fileFlags,
  isGeneratedDocs,
  isMachineData,
  languageOf,
  limitNote,
  limitRuntime,
  localsAmong,
  MAX_USES,
  meanLine,
  nameHashes,
  type ParsedFile,
  packUses,
  parseFile,
  readableText,
  refreshGrammarPacks,
  type Use,
  wasmMemoryBytes,
} from "../../parse/index.ts"
import type { ChunkRow, DividedFileRow, NewSymbol, UsesRow } from "../../store/index.ts"
import { contentHash, isNotebook, readSource, type SourceText } from "../../text/index.ts"
import { LARGE_BYTES } from "../../tree/index.ts"
import { createSegmentBuilder } from "../keyword/build.ts"
import type { KeywordFile } from "../keyword/port.ts"
import { timesLarge } from "./memory-plan.ts"
import type { FileOutcome, FileTask, GivenChunks, ParsedBatch, ParseTask, ReadLimits } from "./worker-pool.ts"

/**
 * A worker whose parser has grown to this size ends its batch early, because the parser of a new worker starts small.
 */
const LARGE_PARSER_BYTES = 192 * 1024 * 1024

/**
 * Reads and chunks a batch of files and builds their keyword segment. The batch ends early after a file that made the
 * memory of the parser or the process too large. There are then fewer outcomes than files, and the caller has the other
 * files read after memory was released.
 */
export async function parseBatch(
  task: ParseTask,
  onProgress: (files: number) => void = () => {},
): Promise<ParsedBatch> {
  const { maxParserBytes, pauseBytes } = task.limits
  limitRuntime(maxParserBytes)
  refreshGrammarPacks()
  const builder = createSegmentBuilder()
  const outcomes: FileOutcome[] = []
  const before = wasmMemoryBytes()
  let files = 0
  let chunks = 0
  takePhaseTimes()
  for (const file of task.files) {
    const { outcome, keyword } = await processFile(task.root, file, task.limits)
    if (keyword !== null) {
      enterPhase("words")
      builder.add(keyword)
      files++
      chunks += keyword.chunks.length
    }
    onProgress(outcomes.push(outcome))
    // A large file leaves megabytes of garbage: a notebook is read as a whole to find its cells.
    if (sizeOf(outcome) > LARGE_BYTES) Bun.gc(true)
    if (wasmMemoryBytes() > Math.max(LARGE_PARSER_BYTES, before) || residentBytes() > pauseBytes) break
  }
  enterPhase("words")
  const segments = files > 0 ? [{ files, chunks, blob: builder.finish() }] : []
  return { outcomes, segments, times: takePhaseTimes() }
}

function sizeOf(outcome: FileOutcome): number {
  return outcome.status === "indexed" ? outcome.file.size : outcome.size
}

type Processed = { readonly outcome: FileOutcome; readonly keyword: KeywordFile | null }

// Lines of at least this mean length are minified: a generated bundle has a few very long lines, whereas the mean of
// hand-written code is rarely above 100 characters.
const MINIFIED_MEAN_LINE = 400
const MINIFIED_FROM = 5_000
const MINIFIABLE = /\.(?:[cm]?js|jsx|css|html?|svg|json|ts)$/iu

/** Turns one file of the project into rows and words. Never throws because of the content of the file. */
export async function processFile(root: string, task: FileTask, limits: ReadLimits): Promise<Processed> {
  const { path, attributeFlags = 0, mayGuess = false } = task
  enterPhase("read")
  const indexed = { find: () => null, encoding: () => declaredEncoding(attributeFlags) }
  const source = task.document ?? readSource(root, path, limits.maxFileBytes, { indexed, mayGuess })
  if ("reason" in source) {
    return without({ status: source.reason === "undecided" ? "undecided" : "skipped", path, ...source })
  }
  if (source.hash === task.knownHash) {
    return without({ status: "same", path, size: source.size, mtimeMs: source.mtimeMs })
  }
  const isDenied = (attributeFlags & FILE_FLAG.deniedGenerated) !== 0
  const isTooLarge = hasTooMuch(source, path)
  const reason = isTooLarge ? "too large" : isDenied ? null : unwantedReason(path, source.text)
  if (reason) return without({ status: "skipped", path, size: source.size, mtimeMs: source.mtimeMs, reason })
  const divided = task.givenChunks === undefined ? null : dividedRow(task.id, task.givenChunks, source.hash)
  enterPhase("parse")
  const parsed = await parseFile(path, source.text, {
    ...DEFAULT_PARSE_OPTIONS,
    timeoutMs: limits.parseTimeoutMs * timesLarge(source.size),
    isPlain: task.isPlain === true,
    isGeneratedDocs: !isDenied && isGeneratedDocs(path, source.text),
    givenChunks: divided?.failure === null ? (task.givenChunks?.rows ?? undefined) : undefined,
  })
  return toRows(task, source, parsed, divided)
}

function dividedRow(
  fileId: number,
  { program, hash, failure }: GivenChunks,
  currentHash: string,
): DividedFileRow {
  const isOutdated = hash !== currentHash
  return { fileId, program, failure: isOutdated ? "the file changed while it was being read" : failure }
}

/** True for a notebook that is large even without its outputs. */
function hasTooMuch({ text, size }: SourceText, path: string): boolean {
  return (
    isNotebook(path) &&
    size > LARGE_BYTES &&
    readableText(path, text).replaceAll("\n", "").length > LARGE_BYTES
  )
}

function without(outcome: FileOutcome): Processed {
  return { outcome, keyword: null }
}

function unwantedReason(path: string, text: string): "minified" | "generated" | "data" | null {
  if (isMachineData(path, text)) return "generated"
  if (text.length > LARGE_BYTES && !isNotebook(path)) {
    const isOutput = (fileFlags(path, text) & (FILE_FLAG.generated | FILE_FLAG.output)) !== 0
    if (isOutput || SAYS_GENERATED.test(text.slice(0, HEAD_CHARACTERS))) return "generated"
    if (isTable(text)) return "data"
  }
  const isMinified =
    text.length >= MINIFIED_FROM && MINIFIABLE.test(path) && meanLine(text) > MINIFIED_MEAN_LINE
  return isMinified ? "minified" : null
}

/** Matches the mark of a generator or bundler whose output is large. In a small file, the words may mean others. */
const SAYS_GENERATED = /generated by|__webpack_require__/i
const HEAD_CHARACTERS = 2_000

/** Number of lines that are compared, and the share of those that have one of the five most frequent forms. */
const COMPARED_LINES = 4_000
const MAX_SHARE = 1 / 3
const FORMS = 5
/** Minimum share of blanks: code and prose that people wrote have 18 % or more, bundles and lists of names 1 to 8 %. */
const MIN_BLANKS = 0.1
/** One of this many characters is looked at for that. */
const BLANKS_STEP = 7

/**
 * True for a text many lines of which have few forms, such as a table of numbers or constants, a parser's states or SQL
 * that inserts rows. In 19 files of 1 to 9 MiB, the five most frequent forms have 5 to 25 % of the lines of those that people
 * wrote, and 36 to 100 % of the others.
 */
function isTable(text: string): boolean {
  if (meanLine(text) > 1_000 || blanksOf(text) < MIN_BLANKS) return true
  const step = Math.ceil(text.length / COMPARED_LINES)
  const forms = new Map<string, number>()
  let lines = 0
  for (let at = 0; at < text.length; at += step) {
    const start = at === 0 ? 0 : text.indexOf("\n", at) + 1
    if (at > 0 && start === 0) break
    const next = text.indexOf("\n", start)
    const end = next < 0 ? text.length : next
    at = Math.max(at, end - step)
    const line = text.slice(start, Math.min(start + 400, end)).trim()
    if (line.length < 12) continue
    const form = formOf(line)
    forms.set(form, (forms.get(form) ?? 0) + 1)
    lines++
  }
  const most = [...forms.values()].sort((a, b) => b - a).slice(0, FORMS)
  return most.reduce((sum, count) => sum + count, 0) > lines * MAX_SHARE
}

/** Share of blanks; a character beyond ASCII counts, too, because not all scripts put blanks between words. */
function blanksOf(text: string): number {
  let blanks = 0
  for (let at = 0; at < text.length; at += BLANKS_STEP) {
    const code = text.charCodeAt(at)
    if (code <= 32 || code > 127) blanks++
  }
  return (blanks * BLANKS_STEP) / text.length
}

/** The line with one character for each string, number and name, and without blanks. */
function formOf(line: string): string {
  return line
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "s")
    .replace(/\b\d[\w.]*/g, "0")
    .replace(/[\p{L}_][\p{L}\p{N}_]*/gu, "a")
    .replace(/\s+/g, "")
}

function toRows(
  task: FileTask,
  source: SourceText,
  parsed: ParsedFile,
  divided: DividedFileRow | null,
): Processed {
  const flags = fileFlags(task.path, source.text, task.attributeFlags) | encodingFlags(source)
  const locals = localsAmong(parsed.chunks.flatMap(({ symbols }) => symbols))
  const language = languageOf(task.path, source.text)
  enterPhase("references")
  const used = parsed.uses?.() ?? null
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
        content: (flags & FILE_FLAG.generatedDocs) === 0 ? contentKindOf(language) : "docs",
        flags,
        lines: parsed.lines,
        method: parsed.method,
        degraded:
          parsed.degraded ?? (used !== null && used.length >= MAX_USES ? limitNote(MAX_USES, "names") : null),
        chunks: parsed.chunks.length,
        package: parsed.package,
        imports: parsed.imports,
        names: nameHashes(parsed.chunks.flatMap((chunk) => chunk.symbols.map((symbol) => symbol.name))),
      },
      chunks: parsed.chunks.map((chunk, ordinal) => chunkRow(task.id, ordinal, chunk, parsed.text)),
      symbols: parsed.chunks.flatMap((chunk, ordinal) => symbolRows(task.id, ordinal, chunk, locals)),
      uses: used && usesRow(task.id, used, parsed, locals),
      divided,
      documentText: task.document === undefined ? null : source.text,
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
  used: readonly Use[],
  { chunks }: ParsedFile,
  locals: ReadonlySet<CodeSymbol>,
): UsesRow {
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
    hash: contentHash(text.slice(chunk.start, chunk.end)),
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
