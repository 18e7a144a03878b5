/**
 * Divides text into word pieces as BERT's uncased models do: accents and control characters removed, lower case, CJK
 * characters and punctuation alone, then the longest known piece from the left (Wu et al., 2016).
 */

/** Ids of the pieces that every vocabulary begins with, in the order of models/encoder.bin. */
export type SpecialPieces = { readonly unknown: number; readonly first: number; readonly last: number }

/** A word with more characters is unknown, as in BERT. */
const MAX_WORD = 100
const WORDS =
  /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2FA1F}]|[!-/:-@[-`{-~]|\p{P}|(?:(?![\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2FA1F}!-/:-@[-`{-~])[^\s\p{P}])+/gu
const LEFT_OUT = /[\p{Mn}\p{Cf}\p{Co}\p{Cn}\0\uFFFD]|(?![\t\n\r])\p{Cc}/gu

/** The vocabulary of a model. */
export class WordPieces {
  readonly #ids = new Map<string, number>()
  readonly #special: SpecialPieces

  /** `pieces` in the order of their ids; those that continue a word begin with ##. */
  constructor(pieces: readonly string[]) {
    for (const [id, piece] of pieces.entries()) this.#ids.set(piece, id)
    const idOf = (piece: string) => {
      const id = this.#ids.get(piece)
      if (id === undefined) throw new Error(`the vocabulary lacks ${piece}`)
      return id
    }
    this.#special = { unknown: idOf("[UNK]"), first: idOf("[CLS]"), last: idOf("[SEP]") }
  }

  /** Ids of a text's pieces between the first and the last special one, at most `limit` with both. */
  idsOf(text: string, limit: number): number[] {
    const ids = [this.#special.first]
    // More than this cannot be in the answer, and the text may be long.
    const head = text.slice(0, limit * MAX_WORD)
    for (const [word] of head.normalize("NFD").replace(LEFT_OUT, "").toLowerCase().matchAll(WORDS)) {
      if (ids.length >= limit - 1) break
      this.#addWord(word, ids)
    }
    ids.length = Math.min(ids.length, limit - 1)
    ids.push(this.#special.last)
    return ids
  }

  #addWord(word: string, ids: number[]): void {
    const before = ids.length
    let from = 0
    while (from < word.length) {
      const found = word.length > MAX_WORD ? null : this.#longestPiece(word, from)
      if (found === null) {
        ids.length = before
        ids.push(this.#special.unknown)
        return
      }
      ids.push(found.id)
      from = found.end
    }
  }

  #longestPiece(word: string, from: number): { readonly id: number; readonly end: number } | null {
    const mark = from === 0 ? "" : "##"
    for (let end = word.length; end > from; end--) {
      const id = this.#ids.get(mark + word.slice(from, end))
      if (id !== undefined) return { id, end }
    }
    return null
  }
}
