import { sentenceSpans, type TextSpan } from "../../text/sentences.ts"
import type { Entry } from "../entry.ts"
import type { Asking } from "./asking.ts"
import { type Clause, clausesOf } from "./clauses.ts"
import { ADDITION, CHANGE, DISPLACEMENT, HISTORY, NEGATION, REPLACEMENT } from "./cue-words.ts"
import { type Value, type ValueType, valuesOf } from "./values.ts"

/** An entry that was found: what ranking knows of it. */
export type Hit = {
  readonly entry: Entry
  readonly score: number
  /** Of a long text, the part that matched; the whole text where absent. */
  readonly window?: TextSpan | null
}

/** What one hit says in answer to the question: its best sentence, and what is around it. */
export type Statement = {
  readonly entry: Entry
  readonly score: number
  readonly rank: number
  readonly sentence: string
  /** Stems of the sentence without function words and values, in order. */
  readonly stems: readonly string[]
  readonly stemSet: ReadonlySet<string>
  /** Whose it is: stems of what stands before 's. */
  readonly possessors: ReadonlySet<string>
  readonly values: readonly Value[]
  readonly valuesByType: ReadonlyMap<ValueType, readonly Value[]>
  /** Stems of the question found in the sentence or its neighbours. */
  readonly asked: ReadonlySet<string>
  readonly clauses: readonly Clause[]
  readonly changes: boolean
  readonly replaces: boolean
  readonly displaces: boolean
  readonly remembers: boolean
  readonly adds: boolean
  readonly denies: boolean
  readonly asks: boolean
  readonly isFirstPerson: boolean
}

/** Longer texts are read from their window on, this far. */
const MOST_CHARACTERS = 2_000
const BEFORE = 200
/** So much less rarity is made up for by a value of the right kind. */
const NEARLY = 0.5
const FENCED = /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm

export function readStatement(hit: Hit, rank: number, asking: Asking): Statement {
  const { stemsOf } = asking.words
  const from = Math.max(0, (hit.window?.start ?? 0) - BEFORE)
  // Code states nothing that the sentences around it do not.
  const prose = hit.entry.text.replace(FENCED, blanked)
  const text = prose.slice(from, from + MOST_CHARACTERS)
  const sentences = sentenceSpans(text).map(({ start, end }) => text.slice(start, end))
  const stems = sentences.map((one) => new Set(stemsOf(one)))
  const best = bestSentence(sentences, stems, asking)
  const sentence = sentences[best] ?? ""
  const around = sentences.slice(Math.max(0, best - 1), best + 2).join(" ")
  const values = valuesOf(sentence)
  const own = stemsOf(withoutValues(sentence, values))
  const topicStems = stemsOf(hit.entry.topic)
  const found = new Set([...stemsOf(around), ...topicStems])
  return {
    entry: hit.entry,
    score: hit.score,
    rank,
    sentence,
    stems: own,
    stemSet: new Set(own),
    possessors: new Set(
      [...sentence.matchAll(/([\p{L}\d]+)['’]s\b/gu)].flatMap((match) => stemsOf(match[1]!)),
    ),
    values,
    valuesByType: Map.groupBy(values, ({ type }) => type),
    asked: new Set([...asking.asked].filter((one) => found.has(one))),
    clauses: sentences.flatMap((one, at) =>
      stems[at]!.isDisjointFrom(asking.asked) ? [] : clausesOf(one, asking.words),
    ),
    changes: CHANGE.test(sentence),
    replaces: REPLACEMENT.test(sentence),
    displaces: DISPLACEMENT.test(sentence),
    remembers: HISTORY.test(sentence),
    adds: ADDITION.test(sentence),
    denies: (sentence.match(NEGATION) ?? []).length % 2 === 1,
    asks: /\?["'”’)]*$/.test(sentence) && sentence.length < 80,
    isFirstPerson: /\b(?:I|my|me|mine|I['’]m|I['’]ve)\b/.test(sentence),
  }
}

/** As long as before, so that places stay. */
function blanked(code: string): string {
  return `\n\n${" ".repeat(Math.max(0, code.length - 2))}`
}

/** The one that has most of what is asked; among equals the one that states a value of the kind that is asked for. */
function bestSentence(
  sentences: readonly string[],
  stems: readonly ReadonlySet<string>[],
  { question, asked, words }: Asking,
): number {
  const scores = stems.map((found) => {
    let score = 0
    for (const one of asked) if (found.has(one)) score += words.rarityOf(one)
    return score
  })
  const most = Math.max(...scores, 0)
  const near = scores.flatMap((score, at) => (score > 0 && score >= most - NEARLY ? [at] : []))
  const telling = near.find((at) => valuesOf(sentences[at]!).some(({ type }) => question.wants.has(type)))
  return telling ?? Math.max(0, scores.indexOf(most))
}

function withoutValues(sentence: string, values: readonly Value[]): string {
  let rest = ""
  let from = 0
  for (const { start, end, type } of values) {
    if (type === "name") continue
    rest += `${sentence.slice(from, start)} `
    from = end
  }
  return rest + sentence.slice(from)
}
