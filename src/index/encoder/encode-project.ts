import { join } from "node:path"
import {
  ENCODER_SPACE,
  fileText,
  headComment,
  isEncoderSpace,
  nameText,
} from "../../../packages/encoder/index.ts"
import { NOT_MAIN_FLAGS, userDataDir } from "../../base/index.ts"
import { contentKindOf, languageOf, pathFlags, readableText } from "../../parse/index.ts"
import type { SpaceRow, Store, SymbolRow, UnembeddedFile } from "../../store/index.ts"
import { readSource } from "../../text/index.ts"
import { CACHE_FILE, openVectorCache, textHash, type VectorCache } from "../embedding/embed-configured.ts"
import type { RunContext } from "../pipeline/run.ts"
import { TextEncoding } from "./encode-texts.ts"
import { isMachineBusy } from "./machine.ts"
import { packRow, unpackNames } from "./meanings.ts"

export type EncodeContext = Pick<RunContext, "root" | "config" | "store" | "now"> & {
  /** Throws when the work must stop. */
  readonly check: () => void
  /** Called between commits, so that other work need not wait. */
  readonly pause: () => Promise<void>
  readonly onDamage: () => void
}

/** Word pieces that the encoder reads of a file and of a name. */
const FILE_TOKENS = 96
const NAME_TOKENS = 16
/** Files per commit: what a kill can lose, 1 to 2 s of work. */
const GROUP = 16
/** Files and names with vectors at most; with all of them, a search holds 15 MB. */
const MAX_FILES = 20_000
const MAX_NAMES = 20_000
/** Names of one file that get a vector. */
const MAX_FILE_NAMES = 24
/** Kinds of symbols that are labels and not names. */
const LABELS: ReadonlySet<string> = new Set(["section", "key", "selector", "element"])

/**
 * Gives the files of a project, and the names that they define, vectors of the encoder: what is missing, the most likely
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
  const room = MAX_FILES - store.vectors.pending(row.id).files
  const wanted = mainFirst(missing).slice(0, Math.max(0, room))
  const names = new Set(store.vectors.all(row.id).flatMap(({ rows }) => unpackNames(rows)))
  const left = new Set(missing.map(({ id }) => id))
  using cache = openVectorCache(join(userDataDir(), CACHE_FILE), context.now, context.onDamage)
  using work = new CachedEncoding(cache, encoder === "idle")
  for (let at = 0; at < wanted.length; at += GROUP) {
    check()
    if (!isAllowed()) return false
    const group = wanted.slice(at, at + GROUP).map((file) => ({ file, text: textsOf(context, file, names) }))
    const texts = group.flatMap(({ text }) => (text === null ? [] : [text]))
    const ofFiles = await work.rows(
      texts.map(({ whole }) => whole),
      FILE_TOKENS,
    )
    const newNames = texts.flatMap((text) => text.names)
    const ofNames = await work.rows(newNames.map(nameText), NAME_TOKENS)
    check()
    const rowOf = new Map(newNames.map((name, i) => [name, ofNames[i]!]))
    const packed = texts.map((text, i) =>
      packRow(
        ofFiles[i]!,
        text.names.map((name) => [name, rowOf.get(name)!]),
      ),
    )
    let next = 0
    const rows = group.flatMap(({ file, text }) =>
      text === null ? [] : [{ fileId: file.id, ordinals: new Uint8Array(), rows: packed[next++]! }],
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
  const kinds = files.map(({ path }) => contentKindOf(languageOf(path, "")))
  const isMain = files.map(({ path }, at) => kinds[at] === "code" && (pathFlags(path) & NOT_MAIN_FLAGS) === 0)
  return [
    ...files.filter((_, at) => isMain[at]),
    ...files.filter((_, at) => !isMain[at] && kinds[at] !== "data"),
  ]
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
 * What is encoded of a file: the whole, and the names that are not in `names`, which are added to it. Null if the file
 * has changed since it was indexed.
 */
function textsOf({ store, root, config }: EncodeContext, file: UnembeddedFile, names: Set<string>) {
  const source = readSource(root, file.path, config.index.maxFileBytes, { indexed: store.texts })
  if ("reason" in source || source.hash !== file.hash) return null
  const symbols = store.symbols.ofFile(file.id)
  const doc = headComment(readableText(file.path, source.text)) || firstDoc(store, symbols)
  const own = (pathFlags(file.path) & NOT_MAIN_FLAGS) === 0 ? newNames(symbols, names) : []
  for (const name of own) names.add(name)
  return { whole: fileText(file.path, doc, symbols), names: own }
}

function firstDoc(store: Store, symbols: readonly SymbolRow[]): string {
  for (const symbol of symbols) {
    const doc = store.symbols.docOf(symbol)
    if (doc) return doc
  }
  return ""
}

/** Names longer than this are stored without a vector, because their length is one byte. */
const MAX_NAME_BYTES = 255

function newNames(symbols: readonly SymbolRow[], known: ReadonlySet<string>): string[] {
  const names = new Set<string>()
  for (const { name, kind, local } of symbols) {
    if (names.size === MAX_FILE_NAMES || known.size + names.size >= MAX_NAMES) break
    if (local === 1 || LABELS.has(kind) || known.has(name) || name.length < 3) continue
    if (Buffer.byteLength(name) <= MAX_NAME_BYTES) names.add(name)
  }
  return [...names]
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
