/** From one word of a line to another, the end exclusive. */
export type Run = readonly [from: number, to: number]

/** A run goes on behind a value that was put in, if it is so long. */
const LEAST = 3

/**
 * Finds which runs of three words and more of some lines stand in texts, in one pass over a text however many lines there
 * are and however they repeat themselves: of a text, only which three words stand in a row is kept. So a run is taken for
 * whole where its overlapping parts stand in different places, which is rare and close enough.
 */
export class WordRuns {
  private readonly ids = new Map<string, number>()
  private readonly lines: readonly (readonly number[])[]

  constructor(lines: readonly (readonly string[])[]) {
    this.lines = lines.map((words) => triples(words.map((word) => this.idOf(word))))
  }

  /** Of each line the runs that a text has, given its words. */
  in(text: readonly string[]): Run[][] {
    const seen = new Set(triples(text.map((word) => this.ids.get(word) ?? 0)))
    return this.lines.map((triples) => runsOf(triples, seen))
  }

  private idOf(word: string): number {
    const id = this.ids.get(word) ?? this.ids.size + 1
    this.ids.set(word, id)
    return id
  }
}

/** Three numbers in a row as one, 0 where one of them is. 640 words, of sixteen lines of forty, are few enough. */
function triples(ids: readonly number[]): number[] {
  const found: number[] = []
  for (let at = 0; at + LEAST <= ids.length; at++) {
    const [one, two, three] = [ids[at]!, ids[at + 1]!, ids[at + 2]!]
    found.push(one * two * three === 0 ? 0 : (one * BASE + two) * BASE + three)
  }
  return found
}

const BASE = 2 ** 17

function runsOf(triples: readonly number[], seen: ReadonlySet<number>): Run[] {
  const runs: Run[] = []
  for (let at = 0; at < triples.length; ) {
    if (!seen.has(triples[at]!)) {
      at++
      continue
    }
    const from = at
    while (at < triples.length && seen.has(triples[at]!)) at++
    const to = at + LEAST - 1
    runs.push([from, to])
    at = to
  }
  return runs
}
