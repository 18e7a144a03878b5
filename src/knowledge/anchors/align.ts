/** What a line of the pattern became: a line of the file, and how alike they are, 0 to 1. */
export type Match = { readonly at: number; readonly alike: number }
export type Alignment = readonly (Match | null)[]

/** One line to look for, and how much it says, 0 to 1. */
export type PatternLine = { readonly text: string; readonly weight: number }

/** Words in common, of all words of both, from which on a line is taken for an edited one. */
const ALIKE = 0.5
/** A line of the file that the pattern lacks costs little: much may have been inserted. */
const INSERTED = 0.03
const DELETED = 0.1
const DIFFERENT = 0.15

/**
 * Where a few lines went in a file in which they do not stand any more: the best local alignment (Smith and Waterman
 * 1981) of lines, equal or alike. Ties go to the place nearest to `near`. Takes lines × pattern steps.
 */
export function align(file: readonly string[], pattern: readonly PatternLine[], near: number): Alignment {
  const width = pattern.length + 1
  const scores = new Float32Array(width * (file.length + 1))
  const steps = new Uint8Array(scores.length)
  const likeness = likenesses(file, pattern)
  let best = 0
  for (let row = 1; row <= file.length; row++) {
    const alike = likeness(row - 1)
    for (let column = 1; column < width; column++) {
      const at = row * width + column
      fill(scores, steps, at, width, gain(alike[column - 1]!, pattern[column - 1]!.weight))
      if (isBetter(scores, at, best, width, near)) best = at
    }
  }
  return traced(scores, steps, best, width).map((at, column) =>
    at === null ? null : { at, alike: likeness(at)[column]! },
  )
}

const STEP = { none: 0, both: 1, file: 2, pattern: 3 } as const

function fill(scores: Float32Array, steps: Uint8Array, at: number, width: number, gained: number): void {
  const both = scores[at - width - 1]! + gained
  const file = scores[at - width]! - INSERTED
  const pattern = scores[at - 1]! - DELETED
  const score = Math.max(0, both, file, pattern)
  scores[at] = score
  if (score === 0) return
  // What is stored is rounded, what is compared is not: of equals, the pair.
  if (both >= file && both >= pattern) steps[at] = gained > 0 ? STEP.both : STEP.both | 4
  else steps[at] = file >= pattern ? STEP.file : STEP.pattern
}

function gain(alike: number, weight: number): number {
  return alike >= ALIKE ? weight * alike : -DIFFERENT
}

const CLOSE = 1e-4

function isBetter(scores: Float32Array, at: number, best: number, width: number, near: number): boolean {
  const more = scores[at]! - scores[best]!
  if (Math.abs(more) > CLOSE) return more > 0
  const distance = (cell: number) => Math.abs(Math.floor(cell / width) - 1 - near)
  return scores[at]! > 0 && distance(at) < distance(best)
}

function traced(scores: Float32Array, steps: Uint8Array, best: number, width: number): (number | null)[] {
  const found: (number | null)[] = new Array(width - 1).fill(null)
  for (let at = best; scores[at]! > 0; ) {
    const step = steps[at]!
    if (step === STEP.both) found[(at % width) - 1] = Math.floor(at / width) - 1
    if ((step & 3) === STEP.both) at -= width + 1
    else at -= step === STEP.file ? width : 1
  }
  return found
}

/** For each line of the file, how alike it is to each of the pattern: 1 for equal, else Dice's coefficient of words. */
function likenesses(file: readonly string[], pattern: readonly PatternLine[]): (row: number) => Float32Array {
  const wordSets = pattern.map(({ text }) => wordsOf(text))
  const holders = new Map<string, number[]>()
  for (const [at, words] of wordSets.entries()) {
    for (const word of words) holders.set(word, [...(holders.get(word) ?? []), at])
  }
  return (row) => {
    const text = file[row]!
    const alike = new Float32Array(pattern.length)
    const words = wordsOf(text)
    for (const word of words) for (const at of holders.get(word) ?? []) alike[at]!++
    for (let at = 0; at < alike.length; at++) {
      const all = words.size + wordSets[at]!.size
      alike[at] = text === pattern[at]!.text ? 1 : all === 0 ? 0 : Math.min(0.95, (2 * alike[at]!) / all)
    }
    return alike
  }
}

/** Longest line of which words are compared; that of a bundle is no line to follow. */
const MAX_CHARS = 500

/** The signs between words make all code look alike; they count where there are no words. */
function wordsOf(text: string): ReadonlySet<string> {
  const compared = text.slice(0, MAX_CHARS)
  return new Set(compared.match(/[\p{L}\p{N}]+/gu) ?? compared.match(/\S/gu) ?? [])
}
