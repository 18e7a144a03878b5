import type { Question, QuestionKind } from "./knowledge-data.ts"
import { mean } from "./labels.ts"

export type Answered = {
  /** Names of notes, best first. */
  readonly refs: readonly string[]
  /** Names of those that the engine marks as outdated. */
  readonly outdated: ReadonlySet<string>
  /** Names of those that the engine marks as contradicted, each with the names of the contradicting notes. */
  readonly denied: ReadonlyMap<string, readonly string[]>
  /** How certain the engine is that it found an answer, the higher the more certain; null if it does not say. */
  readonly confidence: number | null
  readonly tookMs: number
}

/** Marks of an engine that cannot tell which notes still hold. */
export const UNMARKED = { outdated: new Set<string>(), denied: new Map<string, readonly string[]>() } as const

/** A way to find notes. */
export type Engine = {
  readonly name: string
  readonly ask: (question: Question) => Promise<Answered>
}

export type Asked = { readonly question: Question; readonly answered: Answered }

const SHOWN = 10
const AMONG = 5

export async function askAll({ ask }: Engine, questions: readonly Question[]): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const question of questions) asked.push({ question, answered: await ask(question) })
  return asked
}

export function ofKind(asked: readonly Asked[], kind: QuestionKind): Asked[] {
  return asked.filter(({ question }) => question.kind === kind)
}

export function answerable(asked: readonly Asked[]): Asked[] {
  return asked.filter(({ question }) => question.answers.length > 0)
}

export function recallAt5(asked: readonly Asked[]): number {
  return recallAt(asked, AMONG)
}

/** Share of the answers that are among the first `count` results, mean over the questions. */
export function recallAt(asked: readonly Asked[], count: number): number {
  return mean(
    asked.map(({ question: { answers }, answered }) => {
      const first = answered.refs.slice(0, count)
      return answers.filter((ref) => first.includes(ref)).length / answers.length
    }),
  )
}

/** Mean over the questions of 1 / rank of the first answer, 0 if none is among the first ten. */
export function meanReciprocalRank(asked: readonly Asked[]): number {
  return mean(
    asked.map(({ question: { answers }, answered }) => {
      const at = answered.refs.slice(0, SHOWN).findIndex((ref) => answers.includes(ref))
      return at < 0 ? 0 : 1 / (at + 1)
    }),
  )
}

/**
 * Share of the pairs of a valid and an outdated note in which the valid one is among the first ten results,
 * before the outdated one.
 */
export function newestFirst(asked: readonly Asked[]): number {
  const pairs = asked.flatMap(({ question: { answers, older = [] }, answered }) => {
    const shown = answered.refs.slice(0, SHOWN)
    return older.map((old) => isBefore(shown, answers[0]!, old))
  })
  return mean(pairs.map(Number))
}

/** Share of the shown outdated notes that carry no mark; null if none was shown. */
export function marksMissed(asked: readonly Asked[]): number | null {
  const shown = asked.flatMap(({ question: { older = [] }, answered: { refs, outdated, denied } }) =>
    older
      .filter((old) => refs.slice(0, SHOWN).includes(old))
      .map((old) => !outdated.has(old) && !denied.has(old)),
  )
  return shown.length === 0 ? null : mean(shown.map(Number))
}

/**
 * Share of questions with a valid answer that was marked as outdated, or as contradicted by another valid
 * answer.
 */
export function falseMarks(asked: readonly Asked[]): number {
  const isWrong = ({ question: { answers }, answered: { outdated, denied } }: Asked) =>
    answers.some((ref) => outdated.has(ref) || denied.get(ref)?.some((other) => answers.includes(other)))
  return mean(asked.map((each) => Number(isWrong(each))))
}

/**
 * Probability that a question with an answer gets a higher confidence than one without; null if the engine
 * gives no confidence.
 */
export function confidenceAuc(asked: readonly Asked[]): number | null {
  const known = confidences(asked.filter(({ question }) => question.answers.length > 0))
  const unknown = confidences(asked.filter(({ question }) => question.answers.length === 0))
  if (known.length === 0 || unknown.length === 0) return null
  const wins = known.map((k) => mean(unknown.map((u) => (k > u ? 1 : k === u ? 0.5 : 0))))
  return mean(wins)
}

function confidences(asked: readonly Asked[]): number[] {
  return asked.flatMap(({ answered }) => answered.confidence ?? [])
}

function isBefore(shown: readonly string[], first: string, second: string): boolean {
  const at = shown.indexOf(first)
  const other = shown.indexOf(second)
  return at >= 0 && (other < 0 || at < other)
}
