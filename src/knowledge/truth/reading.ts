import { sentenceSpans, type TextSpan } from "../../text/sentences.ts"
import type { Entry } from "../entry.ts"
import { comparable } from "../labels.ts"
import { type Clause, clausesOf } from "./clauses.ts"
import { readSentence, type Sentence } from "./content-stems.ts"
import { type Facts, factsOf } from "./facts.ts"
import { type Value, valuesOf } from "./values.ts"

/** What can be told of a text before anybody asks; each part is worked out when it is first wanted. */
export type Reading = {
  readonly sentences: readonly Sentence[]
  /** Tags and entities, in one form. */
  readonly labels: ReadonlySet<string>
  /** The first word of each stem. */
  readonly words: ReadonlyMap<string, string>
  readonly valuesOf: (sentence: number) => readonly Value[]
  readonly clausesOf: (sentence: number) => readonly Clause[]
  readonly factsOf: (sentence: number) => Facts
}

/** Longer texts are read from their window on, this far. */
const MOST_CHARACTERS = 2_000
const BEFORE = 200
const FENCED = /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm

/** The same entries are shown again and again; one that was changed is another object. */
const known = new WeakMap<Entry, Reading>()

/** Reads an entry; of a long one what is in the window and around it. */
export function readEntry(entry: Entry, window: TextSpan | null): Reading {
  const isLong = entry.text.length > MOST_CHARACTERS
  const found = isLong ? undefined : known.get(entry)
  if (found !== undefined) return found
  const from = isLong ? Math.max(0, (window?.start ?? 0) - BEFORE) : 0
  // Code states nothing that the sentences around it do not.
  const prose = entry.text.replace(FENCED, blanked)
  const reading = read(prose.slice(from, from + MOST_CHARACTERS), entry)
  if (!isLong) known.set(entry, reading)
  return reading
}

function read(text: string, { tags, entities }: Entry): Reading {
  const words = new Map<string, string>()
  const sentences = sentenceSpans(text).map(({ start, end }) => readSentence(text.slice(start, end), words))
  const sentence = (at: number) => sentences[at] ?? EMPTY
  const values = once((at) => valuesOf(sentence(at).text))
  return {
    sentences,
    labels: new Set([...tags, ...entities].map(comparable)),
    words,
    valuesOf: values,
    clausesOf: once((at) => clausesOf(sentence(at))),
    factsOf: once((at) => factsOf(sentence(at), values(at))),
  }
}

const EMPTY: Sentence = readSentence("")

function once<T>(make: (at: number) => T): (at: number) => T {
  const made: T[] = []
  return (at) => {
    made[at] ??= make(at)
    return made[at]
  }
}

/** As long as before, so that places stay. */
function blanked(code: string): string {
  return `\n\n${" ".repeat(Math.max(0, code.length - 2))}`
}
