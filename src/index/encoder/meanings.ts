import { ENCODER_SPACE, openEncoder, SCALE } from "../../../packages/encoder/index.ts"
import { NOT_MAIN_FLAGS, TopK } from "../../base/index.ts"
import type { SpaceRow, Store, SymbolRow } from "../../store/index.ts"
import { RowTable } from "../vector/products.ts"

const { dimensions: DIMENSIONS } = ENCODER_SPACE
/** Word pieces that the encoder reads of a question. */
const QUESTION_TOKENS = 48

/** Files of a project in which vectors count fully; among fewer, words distinguish better: docs/decisions/figures.md. */
const FULL = 300

/** What the sentence encoder finds for a question. */
export type NearMeanings = {
  /** Ids of the files that are nearest to the question, nearest first. */
  readonly files: readonly number[]
  /** A definition of each of the nearest files, that of the nearest file first. */
  readonly names: readonly string[]
  /** How much a file is what the question means, 0 to 1: the cosine of its nearest chunk, less below FULL files. */
  readonly meant: (id: number) => number
}

/** The chunk of a file that is nearest to a question. */
type Nearest = { readonly ordinal: number; readonly cosine: number }

/** The encoder's vectors of the chunks of one state of an index, in memory. */
export class Meanings {
  readonly #store: Store
  readonly #files: number[] = []
  readonly #ordinals: number[] = []
  readonly #table = new RowTable(DIMENSIONS, 1_024)

  constructor(store: Store, space: SpaceRow) {
    this.#store = store
    for (const { fileId, ordinals, rows } of store.vectors.all(space.id)) {
      const bytes = Buffer.from(ordinals.buffer, ordinals.byteOffset, ordinals.byteLength)
      const places = Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readUInt16LE(at * 2))
      if (rows.length < places.length * DIMENSIONS) continue
      const first = this.#files.length
      this.#table.reserve(first + places.length)
      this.#table.rows.set(
        new Int8Array(rows.buffer, rows.byteOffset, places.length * DIMENSIONS),
        first * DIMENSIONS,
      )
      for (const ordinal of places) {
        this.#files.push(fileId)
        this.#ordinals.push(ordinal)
      }
    }
  }

  /** What is nearest to a question among the files that `accept` allows. */
  async near(
    question: string,
    limits: { readonly files: number; readonly names: number },
    accept: (id: number) => boolean = () => true,
  ): Promise<NearMeanings> {
    const nearest = this.#nearest((await openEncoder()).encode(question, QUESTION_TOKENS))
    const best = new TopK(limits.files, (id, other) => id < other)
    for (const [id, { cosine }] of nearest) if (cosine >= best.minScore && accept(id)) best.offer(id, cosine)
    const files = best.best()
    const share = Math.min(1, this.#store.files.totals().files / FULL) ** 2
    return {
      files,
      names: this.#names(files, nearest, limits.names),
      meant: (id) => share * Math.max(0, nearest.get(id)?.cosine ?? 0),
    }
  }

  /** The chunk of each file that is nearest to a query, by the file's id. */
  #nearest(query: Float32Array): Map<number, Nearest> {
    const factor = this.#table.setQuery(query).scale / SCALE
    const nearest = new Map<number, Nearest>()
    this.#table.compare(this.#files.length, (products, first, length) => {
      for (let i = 0; i < length; i++) {
        const id = this.#files[first + i]!
        const cosine = products[i]! * factor
        if (cosine > (nearest.get(id)?.cosine ?? -1))
          nearest.set(id, { ordinal: this.#ordinals[first + i]!, cosine })
      }
    })
    return nearest
  }

  /** A name of each of the files that are not of tests and the like, at most `max`. */
  #names(files: readonly number[], nearest: ReadonlyMap<number, Nearest>, max: number): string[] {
    const { symbols, files: rows } = this.#store
    const flags = new Map(rows.facts(files).map((row) => [row.id, row.flags]))
    const names = new Set<string>()
    for (const id of files) {
      if (names.size === max) break
      if ((flags.get(id) ?? 0) & NOT_MAIN_FLAGS) continue
      const { ordinal } = nearest.get(id)!
      const named = [...symbols.ofChunk(id, ordinal), ...symbols.ofFile(id)].slice(0, MAX_ASKED)
      const { values = [], others = [] } = Object.groupBy(named, ({ kind }) =>
        VALUES.has(kind) ? "values" : "others",
      )
      const best = [...others, ...values].find((row) => this.#isTelling(row))
      if (best !== undefined) names.add(best.name)
    }
    return [...names]
  }

  /** True for the name of a definition that says which of a project's parts is meant. */
  #isTelling({ name, kind, local }: SymbolRow): boolean {
    if (local === 1 || LABELS.has(kind) || !NAME.test(name)) return false
    return this.#store.symbols.findByName(name, MAX_NAMESAKES + 1).length <= MAX_NAMESAKES
  }
}

/** Kinds of symbols that only label a place, and of those that hold a value. */
export const LABELS: ReadonlySet<string> = new Set(["section", "key", "selector", "element"])
const VALUES: ReadonlySet<string> = new Set(["constant", "variable", "field", "property"])
/** A name that a command line takes as it is. */
const NAME = /^[\p{L}_][\p{L}\p{N}_]{2,}$/u
/** Definitions of a file that are looked at. */
const MAX_ASKED = 50
/** A name with more definitions than this, as `init`, says little. With 4 or 16, fewer questions get one that helps. */
const MAX_NAMESAKES = 8
