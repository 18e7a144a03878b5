import { join } from "node:path"
import {
  chunkText,
  ENCODER_SPACE,
  fileText,
  headComment,
  isEncoderSpace,
} from "../../../packages/encoder/index.ts"
import { NOT_MAIN_FLAGS, userDataDir } from "../../base/index.ts"
import { contentKindOf, languageOf, pathFlags, readableText } from "../../parse/index.ts"
import type { SpaceRow, Store, SymbolRow, UnembeddedFile } from "../../store/index.ts"
import { readSource } from "../../text/index.ts"
import { CACHE_FILE, openVectorCache, textHash, type VectorCache } from "../embedding/embed-configured.ts"
import type { RunContext } from "../pipeline/run.ts"
import { TEXT_VECTOR } from "../vector/port.ts"
import { TextEncoding } from "./encode-texts.ts"
import { isMachineBusy } from "./machine.ts"
import { LABELS } from "./meanings.ts"

export type EncodeContext = Pick<RunContext, "root" | "config" | "store" | "now"> & {
  /** Throws when the work must stop. */
  readonly check: () => void
  /** Called between commits, so that other work need not wait. */
  readonly pause: () => Promise<void>
  readonly onDamage: () => void
}

/** Word pieces that the encoder reads of a file and of a chunk. */
const FILE_TOKENS = 96
const CHUNK_TOKENS = 64
/** Files per commit: what a kill can lose, 1 to 2 s of work. */
const GROUP = 16
/** Files and chunks with vectors at most; with all of them, a search holds 15 MB. */
const MAX_FILES = 20_000
const MAX_CHUNKS = 20_000
/** Chunks of one file that get a vector. */
const MAX_FILE_CHUNKS = 4

/**
 * Gives the files of a project, and the chunks of its code, vectors of the encoder: what is missing, the most likely
 * asked files first, in a process of the lowest priority. True once all have theirs; false if the machine was too busy
 * to go on. Each vector is kept in the user's cache by the text it is about.
 */
export async function encodeProject(context: EncodeContext): Promise<boolean> {
  const { store, config, check, pause } = context
  const { encoder } = config.embeddings
  const space = encoder === "off" ? null : ENCODER_SPACE
  const row = enterSpace(store, space)
  if (row === null) return true
  const missing = store.embedded.missing(row.id)
  if (missing.length === 0) return true
  const isAllowed = () => encoder === "on" || !isMachineBusy()
  if (!isAllowed()) return false
  const pending = store.vectors.pending(row.id)
  const wanted = mainFirst(missing).slice(0, Math.max(0, MAX_FILES - pending.files))
  let room = MAX_CHUNKS - (pending.vectors - pending.files)
  const left = new Set(missing.map(({ id }) => id))
  using cache = openVectorCache(join(userDataDir(), CACHE_FILE), context.now, context.onDamage)
  using work = new CachedEncoding(cache, encoder === "idle")
  for (let at = 0; at < wanted.length; at += GROUP) {
    check()
    if (!isAllowed()) return false
    const group = wanted.slice(at, at + GROUP).map((file) => {
      const text = textsOf(context, file, room)
      room -= text?.chunks.length ?? 0
      return { file, text }
    })
    const texts = group.flatMap(({ text }) => text ?? [])
    const ofFiles = await work.rows(
      texts.map(({ whole }) => whole),
      FILE_TOKENS,
    )
    const chunks = texts.flatMap((text) => text.chunks)
    const ofChunks = await work.rows(
      chunks.map(({ text }) => text),
      CHUNK_TOKENS,
    )
    check()
    const rowOf = new Map(chunks.map((chunk, i) => [chunk, ofChunks[i]!]))
    let next = 0
    const rows = group.flatMap(({ file, text }) =>
      text === null
        ? []
        : {
            fileId: file.id,
            ordinals: new Uint8Array(
              Uint16Array.of(TEXT_VECTOR, ...text.chunks.map(({ ordinal }) => ordinal)).buffer,
            ),
            rows: Buffer.concat([ofFiles[next++]!, ...text.chunks.map((chunk) => rowOf.get(chunk)!)]),
          },
    )
    addRows(store, row.id, rows)
    for (const { file } of group) left.delete(file.id)
    await pause()
  }
  // The others get none: they are no text, or too many.
  const wantedIds = new Set(wanted.map(({ id }) => id))
  const without = [...left].filter((id) => !wantedIds.has(id))
  store.transaction(() => store.embedded.add(row.id, without))
  return true
}

/** Code and documents, the code that is not of tests, examples and the like first. */
function mainFirst(files: readonly UnembeddedFile[]): UnembeddedFile[] {
  const { main = [], others = [] } = Object.groupBy(files, ({ path }) => (isMain(path) ? "main" : "others"))
  return [...main, ...others.filter(({ path }) => kindOf(path) !== "data")]
}

function isMain(path: string): boolean {
  return kindOf(path) === "code" && (pathFlags(path) & NOT_MAIN_FLAGS) === 0
}

function kindOf(path: string) {
  return contentKindOf(languageOf(path, ""))
}

function addRows(store: Store, space: number, rows: Parameters<Store["vectors"]["add"]>[1]): void {
  store.transaction(() => {
    const ids = rows.map(({ fileId }) => fileId)
    const living = new Set(store.embedded.add(space, ids))
    store.vectors.add(
      space,
      rows.filter(({ fileId }) => living.has(fileId)),
    )
  })
}

/** The row of the encoder's space, without those of other encoders; null and no such space if none is wanted. */
function enterSpace(store: Store, space: typeof ENCODER_SPACE | null): SpaceRow | null {
  const found = space === null ? null : store.spaces.find(space)
  const others = store.spaces.all().filter((row) => isEncoderSpace(row) && row.id !== found?.id)
  if (others.length > 0 || (found === null && space !== null))
    store.transaction(() => {
      for (const { id } of others) store.removeSpace(id)
      if (space !== null) store.spaces.ensure(space)
    })
  return space === null ? null : store.spaces.find(space)
}

/**
 * What is encoded of a file: the whole, and for code that is not of tests and the like at most `room` chunks. Null if the
 * file has changed since it was indexed.
 */
function textsOf({ store, root, config }: EncodeContext, file: UnembeddedFile, room: number) {
  const { id, path, hash } = file
  const source = readSource(root, path, config.index.maxFileBytes, { indexed: store.texts })
  if ("reason" in source || source.hash !== hash) return null
  const text = readableText(path, source.text)
  const symbols = store.symbols.ofFile(id)
  const doc = headComment(text) || firstDoc(store, symbols)
  return {
    whole: fileText(path, doc, symbols),
    chunks: isMain(path) ? chunkTexts(store, file, text, symbols).slice(0, Math.max(0, room)) : [],
  }
}

/** The chunks of a file that say something in words, with what is encoded of them. */
function chunkTexts(store: Store, { id, path }: UnembeddedFile, text: string, symbols: readonly SymbolRow[]) {
  const byChunk = Map.groupBy(symbols, ({ ordinal }) => ordinal)
  const lines = text.split("\n")
  const found: { readonly ordinal: number; readonly text: string }[] = []
  for (const { ordinal, startLine, endLine } of store.chunks.ofFile(id)) {
    if (found.length === MAX_FILE_CHUNKS) break
    const own = byChunk.get(ordinal) ?? []
    const said = chunkText(path, {
      names: own.flatMap(({ name, owner, kind, local }) =>
        local === 1 || LABELS.has(kind) ? [] : owner === null ? name : [owner, name],
      ),
      docs: own.flatMap((symbol) => store.symbols.docOf(symbol) || []),
      text: lines.slice(startLine - 1, endLine).join("\n"),
    })
    if (said !== "") found.push({ ordinal, text: said })
  }
  return found
}

function firstDoc(store: Store, symbols: readonly SymbolRow[]): string {
  for (const symbol of symbols) {
    const doc = store.symbols.docOf(symbol)
    if (doc) return doc
  }
  return ""
}

/** Encodes texts that are not in the cache, in a process that is started for the first of them. */
class CachedEncoding implements Disposable {
  readonly #cache: VectorCache
  readonly #isIdle: boolean
  #process: TextEncoding | null = null

  constructor(cache: VectorCache, isIdle: boolean) {
    this.#cache = cache
    this.#isIdle = isIdle
  }

  async rows(texts: readonly string[], tokens: number): Promise<Uint8Array[]> {
    const hashes = texts.map(textHash)
    const rows = [...this.#cache.get(ENCODER_SPACE, hashes)]
    const missing = texts.flatMap((_, at) => (rows[at]?.length === ENCODER_SPACE.dimensions ? [] : [at]))
    if (missing.length > 0) {
      this.#process ??= new TextEncoding(this.#isIdle)
      const computed = await this.#process.rows({ texts: missing.map((at) => texts[at]!), tokens })
      for (const [i, at] of missing.entries()) rows[at] = computed[i]!
      // At once, so that a kill loses no more than these.
      this.#cache.put(
        ENCODER_SPACE,
        missing.map((at) => ({ hash: hashes[at]!, row: rows[at]! })),
      )
    }
    return rows as Uint8Array[]
  }

  [Symbol.dispose](): void {
    this.#process?.[Symbol.dispose]()
  }
}
