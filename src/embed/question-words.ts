import { rowsOf, WordSums } from "./word-sums.ts"
import { type AskedTable, openWordTable } from "./word-table.ts"

type Opened = { readonly table: AskedTable; readonly sums: WordSums; readonly stamp: string }

const MOST_TRIES = 2

/** The file of a word table, of which only the words that questions have are read. */
export class QuestionWords {
  readonly #path: string
  #opening: Promise<Opened> | null = null

  constructor(path: string) {
    this.#path = path
  }

  /** What adds up such a text. What could not be read is tried again by the next question. */
  async sumsFor(text: string): Promise<WordSums> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { table, sums, stamp } = await this.#opened()
      await table.want(rowsOf(table, text))
      // An update replaces the file under a running server: words of the old one do not lead to rows of the new.
      if (stamp === stampOf(this.#path)) return sums
      this.#opening = null
    }
    throw new Error(`${this.#path} is being replaced`)
  }

  #opened(): Promise<Opened> {
    this.#opening ??= open(this.#path).catch((error: unknown) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }
}

async function open(path: string): Promise<Opened> {
  const stamp = stampOf(path)
  const table = await openWordTable(Bun.file(path))
  return { table, sums: new WordSums(table), stamp }
}

function stampOf(path: string): string {
  const { size, lastModified } = Bun.file(path)
  return `${size} ${lastModified}`
}
