/**
 * Divides text into pieces as SentencePiece's unigram model does: of all divisions of a word into known pieces the one
 * whose pieces are most probable together (Kudo, 2018).
 */

/** Stands for the blank before a word. */
const BLANK = "▁"
/** A word with more characters is cut, so that no input makes the search long. */
const MAX_WORD = 100
/** Log probability of an unknown character, below that of each piece. */
const UNKNOWN_SCORE = -30

export class UnigramPieces {
  readonly #ids = new Map<string, number>()
  readonly #scores: Float32Array
  readonly #longest: number
  readonly #unknown: number

  /** `pieces` in the order of their ids, with their log probabilities. */
  constructor(pieces: readonly string[], scores: Float32Array, unknown: number) {
    for (const [id, piece] of pieces.entries()) this.#ids.set(piece, id)
    this.#scores = scores
    this.#longest = pieces.reduce((most, piece) => Math.max(most, piece.length), 0)
    this.#unknown = unknown
  }

  /** Ids of the first pieces of a text, at most `limit`. */
  idsOf(text: string, limit: number): number[] {
    const ids: number[] = []
    const head = text.slice(0, limit * MAX_WORD).normalize("NFKC")
    for (const word of head
      .replace(/[^\S\t\n\f\r ]|\p{Cc}/gu, (sign) => (/\s/.test(sign) ? " " : ""))
      .split(/\s+/)) {
      if (ids.length >= limit) break
      if (word !== "") this.#addWord([...(BLANK + word).slice(0, MAX_WORD)], ids)
    }
    ids.length = Math.min(ids.length, limit)
    return ids
  }

  /** Adds the pieces of a word by the best path to each of its characters (Viterbi, 1967). */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one walk through one table
  #addWord(characters: readonly string[], ids: number[]): void {
    const { length } = characters
    const best = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY)
    const [from, piece] = [new Int32Array(length + 1), new Int32Array(length + 1)]
    best[0] = 0
    for (let start = 0; start < length; start++) {
      let text = ""
      for (let end = start + 1; end <= length; end++) {
        text += characters[end - 1]!
        if (text.length > this.#longest) break
        const id = this.#ids.get(text) ?? (end === start + 1 ? this.#unknown : undefined)
        if (id === undefined) continue
        const score = best[start]! + (id === this.#unknown ? UNKNOWN_SCORE : this.#scores[id]!)
        if (score <= best[end]!) continue
        best[end] = score
        from[end] = start
        piece[end] = id
      }
    }
    const found: number[] = []
    for (let end = length; end > 0; end = from[end]!) found.push(piece[end]!)
    ids.push(...found.reverse())
  }
}
