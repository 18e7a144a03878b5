import { join } from "node:path"
import { chunkText, ENCODER_SPACE, isEncoderSpace } from "../../../packages/encoder/index.ts"
import { NOT_MAIN_FLAGS, userDataDir } from "../../base/index.ts"
import { contentKindOf, languageOf, pathFlags, readableText } from "../../parse/index.ts"
import type { SpaceRow, Store, UnembeddedFile } from "../../store/index.ts"
import { readSource } from "../../text/index.ts"
import { CACHE_FILE, openVectorCache, textHash, type VectorCache } from "../embedding/embed-configured.ts"
import type { RunContext } from "../pipeline/run.ts"
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

/** Word pieces that the encoder reads of a chunk. */
const CHUNK_TOKENS = 64
/** Files per commit: what a kill can lose, less than a second of work. */
const GROUP = 16
/** Chunks with vectors at most; with all of them, a search holds 15 MB. */
const MAX_CHUNKS = 40_000
/** Chunks of one file that get a vector. */
const MAX_FILE_CHUNKS = 4

/**
 * Gives the chunks of a project's code vectors of the encoder, those that say something in words and are not of tests,
 * examples and the like, in a process of the lowest priority. True once all have theirs; false if the machine was too busy to
 * go on. Each vector is kept in the user's cache by the text it is about.
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
  const { main = [], others = [] } = Object.groupBy(missing, ({ path }) => (isMain(path) ? "main" : "others"))
  let room = MAX_CHUNKS - store.vectors.pending(row.id).vectors
  using cache = openVectorCache(join(userDataDir(), CACHE_FILE), context.now, context.onDamage)
  using work = new CachedEncoding(cache, encoder === "idle")
  for (let at = 0; at < main.length; at += GROUP) {
    check()
    if (!isAllowed()) return false
    const group = main.slice(at, at + GROUP).flatMap((file) => {
      const chunks = room > 0 ? chunkTexts(context, file) : []
      room -= chunks?.length ?? 0
      return chunks === null ? [] : { file, chunks }
    })
    const rows = await work.rows(group.flatMap(({ chunks }) => chunks.map(({ text }) => text)))
    check()
    let next = 0
    addRows(
      store,
      row.id,
      group.map(({ file, chunks }) => ({
        fileId: file.id,
        ordinals: new Uint8Array(Uint16Array.from(chunks, ({ ordinal }) => ordinal).buffer),
        rows: Buffer.concat(chunks.map(() => rows[next++]!)),
      })),
    )
    await pause()
  }
  // The others get none.
  const without = others.map(({ id }) => id)
  store.transaction(() => store.embedded.add(row.id, without))
  return true
}

function isMain(path: string): boolean {
  return contentKindOf(languageOf(path, "")) === "code" && (pathFlags(path) & NOT_MAIN_FLAGS) === 0
}

function addRows(store: Store, space: number, rows: Parameters<Store["vectors"]["add"]>[1]): void {
  store.transaction(() => {
    const ids = rows.map(({ fileId }) => fileId)
    const living = new Set(store.embedded.add(space, ids))
    store.vectors.add(
      space,
      rows.filter(({ fileId, rows }) => rows.length > 0 && living.has(fileId)),
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
 * The first chunks of a file that say something in words, with what is encoded of them. Null if the file has changed since
 * it was indexed.
 */
function chunkTexts({ store, root, config }: EncodeContext, { id, path, hash }: UnembeddedFile) {
  const source = readSource(root, path, config.index.maxFileBytes, { indexed: store.texts })
  if ("reason" in source || source.hash !== hash) return null
  const symbols = store.symbols.ofFile(id)
  const byChunk = Map.groupBy(symbols, ({ ordinal }) => ordinal)
  const lines = readableText(path, source.text).split("\n")
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

/** Encodes texts that are not in the cache, in a process that is started for the first of them. */
class CachedEncoding implements Disposable {
  readonly #cache: VectorCache
  readonly #isIdle: boolean
  #process: TextEncoding | null = null

  constructor(cache: VectorCache, isIdle: boolean) {
    this.#cache = cache
    this.#isIdle = isIdle
  }

  async rows(texts: readonly string[]): Promise<Uint8Array[]> {
    const hashes = texts.map(textHash)
    const rows = [...this.#cache.get(ENCODER_SPACE, hashes)]
    const missing = texts.flatMap((_, at) => (rows[at]?.length === ENCODER_SPACE.dimensions ? [] : [at]))
    if (missing.length > 0) {
      this.#process ??= new TextEncoding(this.#isIdle)
      const computed = await this.#process.answer({
        texts: missing.map((at) => texts[at]!),
        tokens: CHUNK_TOKENS,
        of: "code",
      })
      for (const [i, at] of missing.entries()) rows[at] = computed.rows[i]!
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
