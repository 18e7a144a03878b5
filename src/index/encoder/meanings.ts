import { ENCODER_SPACE, openEncoder } from "../../../packages/encoder/index.ts"
import { TopK } from "../../base/index.ts"
import type { SpaceRow, Store } from "../../store/index.ts"
import { RowTable } from "../vector/products.ts"

/*
 * The encoder's vectors of a project. A file's row in the database is its vector, then for each of its names that no
 * earlier file has: the length in bytes, the name, its vector.
 */

const { dimensions: DIMENSIONS } = ENCODER_SPACE

export function packRow(
  file: Uint8Array,
  names: readonly (readonly [name: string, row: Uint8Array])[],
): Uint8Array {
  const parts = names.flatMap(([name, row]) => {
    const bytes = Buffer.from(name)
    return [Uint8Array.of(bytes.length), bytes, row]
  })
  return Buffer.concat([file, ...parts])
}

export function unpackNames(row: Uint8Array): string[] {
  const names: string[] = []
  eachName(row, (name) => names.push(name))
  return names
}

function eachName(row: Uint8Array, visit: (name: string, vector: Uint8Array) => void): void {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength)
  for (let at = DIMENSIONS; at < bytes.length; ) {
    const from = at + 1 + bytes[at]!
    if (from + DIMENSIONS > bytes.length) return
    visit(bytes.toString("utf8", at + 1, from), bytes.subarray(from, from + DIMENSIONS))
    at = from + DIMENSIONS
  }
}

/** Word pieces that the encoder reads of a question. */
const QUESTION_TOKENS = 48

/** The vectors of the files and names of one state of an index, in memory. */
export class Meanings {
  readonly #files = new VectorList<number>()
  readonly #names = new VectorList<string>()

  constructor(store: Store, space: SpaceRow) {
    for (const { fileId, rows } of store.vectors.all(space.id)) {
      if (rows.length < DIMENSIONS) continue
      this.#files.add(fileId, rows.subarray(0, DIMENSIONS))
      eachName(rows, (name, vector) => this.#names.add(name, vector))
    }
  }

  /** The ids of the files that `accept` allows, and the names, that are nearest to a question, nearest first. */
  async near(
    question: string,
    limits: { readonly files: number; readonly names: number },
    accept: (id: number) => boolean = () => true,
  ): Promise<{ readonly files: number[]; readonly names: string[] }> {
    const query = (await openEncoder()).encode(question, QUESTION_TOKENS)
    return {
      files: this.#files.nearest(query, limits.files, accept),
      names: this.#names.nearest(query, limits.names, () => true),
    }
  }
}

class VectorList<Item> {
  readonly #items: Item[] = []
  readonly #table = new RowTable(DIMENSIONS, 1_024)

  add(item: Item, vector: Uint8Array): void {
    this.#table.reserve(this.#items.length + 1)
    this.#table.rows.set(
      new Int8Array(vector.buffer, vector.byteOffset, DIMENSIONS),
      this.#items.length * DIMENSIONS,
    )
    this.#items.push(item)
  }

  nearest(query: Float32Array, limit: number, accept: (item: Item) => boolean): Item[] {
    this.#table.setQuery(query)
    const best = new TopK(limit, (item, other) => item < other)
    this.#table.compare(this.#items.length, (products, first, length) => {
      for (let i = 0; i < length; i++)
        if (products[i]! >= best.minScore && accept(this.#items[first + i]!))
          best.offer(first + i, products[i]!)
    })
    return best.best().map((at) => this.#items[at]!)
  }
}
