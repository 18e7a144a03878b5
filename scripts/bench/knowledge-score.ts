import type { Question, QuestionKind } from "./knowledge-data.ts"
import { mean } from "./labels.ts"

export type Answered = {
  /** Names of notes, best first. */
  readonly refs: readonly string[]
  /** Those shown as no longer true. */
  readonly outdated: ReadonlySet<string>
  /** Those shown as denied by others, and by which. */
  readonly denied: ReadonlyMap<string, readonly string[]>
  /** Higher where the engine believes that it knows; null: it does not say. */
  readonly confidence: number | null
  readonly tookMs: number
}

/** What an engine answers that knows nothing of what still holds. */
export const UNMARKED = { outdated: new Set<string>(), denied: new Map<string, readonly string[]>() } as const

/** A way to look notes up. */
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

/** Share of the answers that stand among the first five, mean over the questions. */
export function recallAt5(asked: readonly Asked[]): number {
  return mean(
    asked.map(({ question: { answers }, answered }) => {
      const first = answered.refs.slice(0, AMONG)
      return answers.filter((ref) => first.includes(ref)).length / answers.length
    }),
  )
}

/** Mean of 1 / place of the first answer among the first ten. */
export function meanReciprocalRank(asked: readonly Asked[]): number {
  return mean(
    asked.map(({ question: { answers }, answered }) => {
      const at = answered.refs.slice(0, SHOWN).findIndex((ref) => answers.includes(ref))
      return at < 0 ? 0 : 1 / (at + 1)
    }),
  )
}

/** Share of the pairs of what holds and what held where the former stands among the first ten, before the latter. */
export function newestFirst(asked: readonly Asked[]): number {
  const pairs = asked.flatMap(({ question: { answers, older = [] }, answered }) => {
    const shown = answered.refs.slice(0, SHOWN)
    return older.map((old) => isBefore(shown, answers[0]!, old))
  })
  return mean(pairs.map(Number))
}

/** Of what held before and was shown, the share that carried no mark; null: none was shown. */
export function marksMissed(asked: readonly Asked[]): number | null {
  const shown = asked.flatMap(({ question: { older = [] }, answered: { refs, outdated, denied } }) =>
    older
      .filter((old) => refs.slice(0, SHOWN).includes(old))
      .map((old) => !outdated.has(old) && !denied.has(old)),
  )
  return shown.length === 0 ? null : mean(shown.map(Number))
}

/** The share of questions with a true answer that was shown as no longer true, or as denied by another true one. */
export function falseMarks(asked: readonly Asked[]): number {
  const isWrong = ({ question: { answers }, answered: { outdated, denied } }: Asked) =>
    answers.some((ref) => outdated.has(ref) || denied.get(ref)?.some((other) => answers.includes(other)))
  return mean(asked.map((each) => Number(isWrong(each))))
}

/** The chance that a question with an answer is met with more confidence than one without; null: nothing is said. */
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
