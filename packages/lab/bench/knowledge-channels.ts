import type { Question } from "./knowledge-data.ts"
import { type Asked, answerable, meanReciprocalRank, recallAt5, UNMARKED } from "./knowledge-score.ts"
import type { Table } from "./table.ts"

/** A hit with the terms whose sum is its score. */
export type Explained = {
  readonly ref: string
  readonly terms: readonly { readonly name: string; readonly value: number }[]
}

/** Returns all hits of a question with their explanations. */
export type Explain = (question: Question) => Promise<readonly Explained[]>

/** The effect of each term of the sum: the same hits ordered without it, and ordered by it alone. */
export async function channelTable(explain: Explain, questions: readonly Question[]): Promise<Table> {
  const found: { question: Question; hits: readonly Explained[] }[] = []
  for (const question of questions) found.push({ question, hits: await explain(question) })
  const names = [
    ...new Set(found.flatMap(({ hits }) => hits.flatMap(({ terms }) => terms.map((t) => t.name)))),
  ]
  const row = (title: string, accepts: (name: string) => boolean) => {
    const asked = answerable(found.map(({ question, hits }) => reordered(question, hits, accepts)))
    return [title, recallAt5(asked), meanReciprocalRank(asked)]
  }
  const only = (name: string) => row("", (other) => other === name).slice(1)
  return {
    title: "What each channel of recall does: the sum without it, and by it alone",
    columns: [
      { name: "" },
      ...["recall@5 without", "MRR without", "recall@5 alone", "MRR alone"].map((name) => ({
        name,
        digits: 3,
      })),
    ],
    rows: [
      [...row("all of them", () => true), null, null],
      ...names.sort().map((name) => [...row(name, (other) => other !== name), ...only(name)]),
    ],
  }
}

function reordered(
  question: Question,
  hits: readonly Explained[],
  accepts: (name: string) => boolean,
): Asked {
  const sums = hits.map(({ ref, terms }) => ({
    ref,
    sum: terms.filter(({ name }) => accepts(name)).reduce((sum, { value }) => sum + value, 0),
  }))
  const refs = sums.filter(({ sum }) => sum > 0).sort((a, b) => b.sum - a.sum)
  return {
    question,
    answered: { refs: refs.map(({ ref }) => ref), ...UNMARKED, confidence: null, tookMs: 0 },
  }
}
