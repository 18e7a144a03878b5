import { AmanError, ByteReader, unsigned } from "../base/index.ts"
import type { ExactPlace } from "../store/index.ts"

/** Longest symbol that is read, in characters; longer symbols are skipped. */
const MAX_SYMBOL_CHARS = 4_096
const MAX_DOCUMENTS = 200_000
const MAX_OCCURRENCES = 5_000_000

/** How columns are counted. 1: UTF-8 bytes; 2: UTF-16 units; 3: code points; 0: not stated. */
type ScipEncoding = 0 | 1 | 2 | 3

/** A SCIP index. Its documents are read one by one. */
type ScipIndex = {
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
type ScipOccurrence = {
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
      if (field === 1 && type === WIRE.delimited) readMetadata(reader.field(), head)
      else if (field === 2 && type === WIRE.delimited) documents.push(reader.field())
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
    if (field === 2) head.tool = toolOf(reader.field())
    else if (field === 3) head.projectRoot = reader.text()
    else return false
    return true
  })
}

function toolOf(bytes: Uint8Array): string {
  const parts = ["", ""]
  eachField(bytes, (field, reader, type) => {
    if (type !== WIRE.delimited || (field !== 1 && field !== 2)) return false
    parts[field - 1] = reader.text().slice(0, 80)
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
    else if (field === 1) path = reader.text()
    else if (field === 2) occurrences.push(...readOccurrence(reader.field()))
    else if (field === 3) bases.push(...readSymbol(reader.field()))
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
    if (field === 1 && type === WIRE.delimited) readPacked(reader.field(), range)
    else if (field === 1 && type === WIRE.varint) range.push(reader.int32())
    else if (field === 2 && type === WIRE.delimited) symbol = reader.text()
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
    if (field === 1) symbol = reader.text()
    else if (field === 4) bases.push(...readRelationship(reader.field()))
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
    if (field === 1 && type === WIRE.delimited) symbol = reader.text()
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

/**
 * Two minimum shares of a document's named occurrences: those whose text is a whole word, and those whose text is the
 * symbol's name. Below either, the indexer read another version of the file. The second share is lower, because an
 * import may rename a symbol.
 */
const MIN_WORDS = 0.9
const MIN_NAMES = 0.5
/** Column encodings in the order in which they are tried if the indexer does not state one. */
const ENCODINGS: readonly Exclude<ScipEncoding, 0>[] = [2, 1, 3]

/**
 * The occurrences of a document, located in the text of its file; null if the indexer read another version of the text.
 * Columns are counted in the encoding that the document states, else in the encoding that fits best.
 */
export function placesInText(document: ScipDocument, text: string): ExactPlace[] | null {
  const lines = text.split(/\r\n|[\r\n]/)
  const encodings = document.encoding === 0 ? ENCODINGS : [document.encoding]
  const read = encodings.map((encoding) => readWith(document.occurrences, lines, encoding))
  const best = read.reduce((one, other) => (other.names > one.names ? other : one))
  return best.words < MIN_WORDS || best.names < MIN_NAMES ? null : best.places
}

function readWith(
  occurrences: readonly ScipOccurrence[],
  lines: readonly string[],
  encoding: Exclude<ScipEncoding, 0>,
): { readonly places: ExactPlace[]; readonly words: number; readonly names: number } {
  const places: ExactPlace[] = []
  let named = 0
  let words = 0
  let names = 0
  for (const { symbol, roles, line, start, end } of occurrences) {
    const text = lines[line]
    const name = nameOfSymbol(symbol)
    if (name === null || end === start) continue
    named++
    // A range that spans several lines or lies outside the file cannot be a name.
    const word = text === undefined || end === null ? null : wordAt(text, start, end, encoding)
    if (word === null) continue
    words++
    if (word === name) names++
    places.push({ symbol, name, line: line + 1, roles })
  }
  const share = (count: number) => (named === 0 ? 1 : count / named)
  return { places, words: share(words), names: share(names) }
}

/**
 * The last name in a SCIP symbol: `run` of "npm . . `a.ts`/Shop#run()."; null for parameters, type parameters and
 * generated names such as `<constructor>`, which do not occur in code.
 */
export function nameOfSymbol(symbol: string): string | null {
  const last = /(?:`((?:[^`]|``)+)`|([\p{L}\p{N}_$+-]+))(?:\([^()]*\)\.|[#.!])$/u.exec(symbol)
  const name = last?.[1]?.replaceAll("``", "`") ?? last?.[2]
  return name !== undefined && isWord(name) ? name : null
}

function isWord(text: string): boolean {
  return /^[\p{L}\p{N}_$@#!?'-]+$/u.test(text)
}

/** The text between two columns; null if the columns are outside the line or do not enclose a whole word. */
function wordAt(text: string, start: number, end: number, encoding: Exclude<ScipEncoding, 0>): string | null {
  const [from, to] = /^[\0-\x7f]*$/.test(text)
    ? [start, end]
    : [unitsBefore(text, start, encoding), unitsBefore(text, end, encoding)]
  if (from < 0 || to < from || to > text.length) return null
  const word = text.slice(from, to)
  const isWhole = !/[\p{L}\p{N}_$]$/u.test(text.slice(0, from)) && !/^[\p{L}\p{N}_$]/u.test(text.slice(to))
  return isWhole && isWord(word) ? word : null
}

/** Number of UTF-16 units before a column; -1 if the column is not in the line or splits a character. */
function unitsBefore(text: string, column: number, encoding: Exclude<ScipEncoding, 0>): number {
  if (encoding === 2) return column > text.length ? -1 : column
  let [units, count] = [0, 0]
  for (const character of text) {
    if (count >= column) break
    count += encoding === 3 ? 1 : Buffer.byteLength(character)
    units += character.length
  }
  return count === column ? units : -1
}

/** Columns are counted in units of UTF-16. */
const UTF16 = 2
const TEXT_UTF8 = 1

type ExportedDocument = {
  readonly path: string
  readonly language: string
  readonly occurrences: readonly ExportedOccurrence[]
  readonly symbols: readonly ExportedSymbol[]
}

/** 0-based; columns in units of UTF-16. */
export type ExportedOccurrence = {
  readonly symbol: string
  readonly roles: number
  readonly line: number
  readonly start: number
  readonly end: number
}

type ExportedSymbol = { readonly symbol: string; readonly name: string; readonly signature: string }

/** The metadata of a SCIP index. It must be written before the documents. */
export function writeMetadata({
  version,
  root,
}: {
  readonly version: string
  readonly root: string
}): Uint8Array {
  const tool = new WireWriter().text(1, "aman").text(2, version)
  const metadata = new WireWriter().bytes(2, tool.finish()).text(3, root).number(4, TEXT_UTF8)
  return new WireWriter().bytes(1, metadata.finish()).finish()
}

/** A document as a field of an index. An index file is the metadata followed by the documents. */
export function writeDocument({ path, language, occurrences, symbols }: ExportedDocument): Uint8Array {
  const document = new WireWriter().text(1, path)
  for (const { symbol, roles, line, start, end } of occurrences)
    document.bytes(
      2,
      new WireWriter().packed(1, [line, start, end]).text(2, symbol).number(3, roles).finish(),
    )
  for (const { symbol, name, signature } of symbols)
    document.bytes(3, new WireWriter().text(1, symbol).text(3, signature).text(6, name).finish())
  document.text(4, language).number(6, UTF16)
  return new WireWriter().bytes(2, document.finish()).finish()
}

/** A package: its manager, such as npm, its name and its version. */
export type ScipPackage = { readonly manager: string; readonly name: string; readonly version: string }

const NO_PACKAGE: ScipPackage = { manager: ".", name: ".", version: "." }

/**
 * A symbol in SCIP's syntax: the scheme `aman`, the package, or dots if there is none, then the file and the names down
 * to the symbol, each with the suffix of its kind.
 */
export function symbolText(
  path: string,
  { owner, name, mark }: { readonly owner: string | null; readonly name: string; readonly mark: string },
  { manager, name: ofPackage, version }: ScipPackage = NO_PACKAGE,
): string {
  const holder = owner === null ? "" : `${quoted(owner)}#`
  const before = ["aman", manager, ofPackage, version].map((part) => part.replaceAll(" ", "  ")).join(" ")
  return `${before} ${quoted(path)}/${holder}${quoted(name)}${mark}`
}

function quoted(name: string): string {
  return /^[A-Za-z0-9_$+-]+$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``
}

/** Wire types of protobuf. The two types for groups are missing, because no current format uses groups. */
const WIRE = { varint: 0, fixed64: 1, delimited: 2, fixed32: 5 } as const

/** Reads protobuf messages. Throws RangeError if the bytes end too early or are not valid protobuf. */
class WireReader extends ByteReader {
  /** The number of the next field and the type of its value. */
  tag(): readonly [field: number, type: number] {
    const tag = this.number()
    if (tag >>> 3 === 0) throw new RangeError("no field has the number 0")
    return [tag >>> 3, tag & 7]
  }

  /** The bytes of a message, text or list, without a copy. */
  field(): Uint8Array {
    return this.bytes(this.number())
  }

  text(): string {
    return this.bytes(this.number()).toString("utf8")
  }

  skip(type: number): void {
    if (type === WIRE.varint) this.int32()
    else if (type === WIRE.delimited) this.field()
    else if (type === WIRE.fixed64) this.bytes(8)
    else if (type === WIRE.fixed32) this.bytes(4)
    else throw new RangeError(`no field has the type ${type}`)
  }
}

/** Writes a protobuf message, field by field; a field of value 0 or "" is left out, as in proto3. */
export class WireWriter {
  readonly #parts: Uint8Array[] = []

  number(field: number, value: number): this {
    return value === 0 ? this : this.#add(unsigned((field << 3) | WIRE.varint), unsigned(value))
  }

  text(field: number, value: string): this {
    return value === "" ? this : this.bytes(field, Buffer.from(value))
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#add(unsigned((field << 3) | WIRE.delimited), unsigned(value.length), value)
  }

  /** A list of numbers from 0 to 2³¹ - 1. */
  packed(field: number, values: readonly number[]): this {
    return this.bytes(field, Uint8Array.from(values.flatMap(unsigned)))
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#parts)
  }

  #add(...parts: readonly (Uint8Array | readonly number[])[]): this {
    this.#parts.push(...parts.map((part) => (part instanceof Uint8Array ? part : Uint8Array.from(part))))
    return this
  }
}
