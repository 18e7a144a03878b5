import { AmanError } from "../../base/errors.ts"
import { WIRE, WireReader } from "./wire.ts"

/** Longest symbol that is read, in characters; longer symbols are skipped. */
const MAX_SYMBOL_CHARS = 4_096
const MAX_DOCUMENTS = 200_000
const MAX_OCCURRENCES = 5_000_000

/** How columns are counted. 1: UTF-8 bytes; 2: UTF-16 units; 3: code points; 0: not stated. */
export type ScipEncoding = 0 | 1 | 2 | 3

/** A SCIP index. Its documents are read one by one. */
export type ScipIndex = {
  readonly tool: string
  /** URI of the folder that paths are relative to; "" if the index does not say. */
  readonly projectRoot: string
  readonly documents: () => Iterable<ScipDocument>
}

export type ScipDocument = {
  readonly path: string
  readonly encoding: ScipEncoding
  readonly occurrences: readonly ScipOccurrence[]
  /** Pairs of a symbol of this document and a symbol that it implements or overrides. */
  readonly bases: readonly (readonly [symbol: string, base: string])[]
}

/** `line` is 0-based. `end` is a column on the same line; null for a range that spans several lines. */
export type ScipOccurrence = {
  readonly symbol: string
  readonly roles: number
  readonly line: number
  readonly start: number
  readonly end: number | null
}

/**
 * Reads from a SCIP index (github.com/sourcegraph/scip, scip.proto) the fields that say where symbols are. Throws USAGE
 * if the bytes are no SCIP index or exceed the limits. Symbols local to a document are skipped.
 */
export function readScip(bytes: Uint8Array): ScipIndex {
  const documents: Uint8Array[] = []
  const head = { tool: "", projectRoot: "" }
  guarded(() => {
    eachField(bytes, (field, reader, type) => {
      if (field === 1 && type === WIRE.delimited) readMetadata(reader.bytes(), head)
      else if (field === 2 && type === WIRE.delimited) documents.push(reader.bytes())
      else return false
      return true
    })
  })
  if (documents.length === 0) throw notScip("it has no documents")
  if (documents.length > MAX_DOCUMENTS) throw notScip(`it has more than ${MAX_DOCUMENTS} documents`)
  return {
    ...head,
    *documents() {
      let left = MAX_OCCURRENCES
      for (const each of documents) {
        const document = guarded(() => readDocument(each))
        left -= document.occurrences.length
        if (left < 0) throw notScip(`it has more than ${MAX_OCCURRENCES} occurrences`)
        yield document
      }
    },
  }
}

type ScipMetadata = { tool: string; projectRoot: string }

function readMetadata(bytes: Uint8Array, head: ScipMetadata): void {
  eachField(bytes, (field, reader, type) => {
    if (type !== WIRE.delimited) return false
    if (field === 2) head.tool = toolOf(reader.bytes())
    else if (field === 3) head.projectRoot = reader.string()
    else return false
    return true
  })
}

function toolOf(bytes: Uint8Array): string {
  const parts = ["", ""]
  eachField(bytes, (field, reader, type) => {
    if (type !== WIRE.delimited || (field !== 1 && field !== 2)) return false
    parts[field - 1] = reader.string().slice(0, 80)
    return true
  })
  return parts.join(" ").trim()
}

function readDocument(bytes: Uint8Array): ScipDocument {
  const occurrences: ScipOccurrence[] = []
  const bases: (readonly [string, string])[] = []
  let path = ""
  let encoding: ScipEncoding = 0
  eachField(bytes, (field, reader, type) => {
    if (field === 6 && type === WIRE.varint) encoding = encodingOf(reader.int32())
    else if (type !== WIRE.delimited) return false
    else if (field === 1) path = reader.string()
    else if (field === 2) occurrences.push(...readOccurrence(reader.bytes()))
    else if (field === 3) bases.push(...readSymbol(reader.bytes()))
    else return false
    return true
  })
  return { path, encoding, occurrences, bases }
}

function encodingOf(value: number): ScipEncoding {
  return value === 1 || value === 2 || value === 3 ? value : 0
}

/**
 * The occurrence that a message contains. An empty list for a symbol that is local to its document, and for an invalid
 * range.
 */
function readOccurrence(bytes: Uint8Array): ScipOccurrence[] {
  const range: number[] = []
  let symbol = ""
  let roles = 0
  eachField(bytes, (field, reader, type) => {
    if (field === 1 && type === WIRE.delimited) readPacked(reader.bytes(), range)
    else if (field === 1 && type === WIRE.varint) range.push(reader.int32())
    else if (field === 2 && type === WIRE.delimited) symbol = reader.string()
    else if (field === 3 && type === WIRE.varint) roles = reader.int32()
    else return false
    return true
  })
  const [line, start, ...rest] = range
  if (!isGlobal(symbol) || line === undefined || start === undefined) return []
  if (line < 0 || start < 0 || rest.length === 0 || rest.length > 2) return []
  const [endLine, end] = rest.length === 1 ? [line, rest[0]!] : [rest[0]!, rest[1]!]
  return [{ symbol, roles, line, start, end: endLine === line && end >= start ? end : null }]
}

/** Appends packed numbers to `range`, at most four: no valid range has more. */
function readPacked(bytes: Uint8Array, range: number[]): void {
  const reader = new WireReader(bytes)
  while (!reader.isAtEnd && range.length < 5) range.push(reader.int32())
}

function readSymbol(bytes: Uint8Array): (readonly [string, string])[] {
  let symbol = ""
  const bases: string[] = []
  eachField(bytes, (field, reader, type) => {
    if (type !== WIRE.delimited) return false
    if (field === 1) symbol = reader.string()
    else if (field === 4) bases.push(...readRelationship(reader.bytes()))
    else return false
    return true
  })
  return isGlobal(symbol) ? bases.filter(isGlobal).map((base) => [symbol, base] as const) : []
}

/** The symbol that is implemented, if the relationship is an implementation; otherwise an empty list. */
function readRelationship(bytes: Uint8Array): string[] {
  let symbol = ""
  let isImplementation = false
  eachField(bytes, (field, reader, type) => {
    if (field === 1 && type === WIRE.delimited) symbol = reader.string()
    else if (field === 3 && type === WIRE.varint) isImplementation = reader.int32() !== 0
    else return false
    return true
  })
  return isImplementation ? [symbol] : []
}

function isGlobal(symbol: string): boolean {
  return symbol !== "" && symbol.length <= MAX_SYMBOL_CHARS && !symbol.startsWith("local ")
}

/** Calls `take` for each field. `take` returns false for a field that it does not read; the field is then skipped. */
function eachField(
  bytes: Uint8Array,
  take: (field: number, reader: WireReader, type: number) => boolean,
): void {
  const reader = new WireReader(bytes)
  while (!reader.isAtEnd) {
    const [field, type] = reader.tag()
    if (!take(field, reader, type)) reader.skip(type)
  }
}

function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof AmanError) throw cause
    throw notScip("it is damaged or of another format", cause)
  }
}

function notScip(reason: string, cause?: unknown): AmanError {
  return new AmanError("USAGE", `this is no SCIP index that can be imported: ${reason}`, {
    hint: "write one with an indexer such as scip-typescript, scip-python or rust-analyzer",
    cause,
  })
}
