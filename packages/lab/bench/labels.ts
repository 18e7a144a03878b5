import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

type Target = string | { readonly path: string; readonly start_line?: number; readonly end_line?: number }

export type LabelledQuery = {
  readonly query: string
  /** Names that the code may use, guessed by somebody who has not seen it; empty: none were guessed. */
  readonly names: readonly string[]
  readonly category: string
  readonly targets: readonly LabelTarget[]
}

export type LabelTarget = {
  readonly path: string
  /**
   * Lines of the answer in a file that contains much else; absent in most labels, which name the file alone.
   */
  readonly lines?: Lines
}

type Lines = { readonly start_line: number; readonly end_line: number }

export type LabelledRepository = {
  readonly name: string
  readonly language: string
  readonly root: string
  readonly queries: readonly LabelledQuery[]
}

type Raw = {
  readonly name: string
  readonly language: string
  readonly root: string | null
  readonly queries: readonly {
    readonly query: string
    readonly names?: readonly string[]
    readonly category?: string
    readonly relevant: readonly Target[]
    readonly secondary?: readonly Target[]
  }[]
}

/** Reads a label file; repositories without a checkout in the corpus folder are left out. */
export function readLabels(file: string, corpus: string): LabelledRepository[] {
  const raw = JSON.parse(readFileSync(file, "utf8")) as Raw[]
  return raw
    .map((repository) => ({
      name: repository.name,
      language: repository.language,
      root: join(corpus, repository.name, repository.root ?? ""),
      queries: repository.queries.map((query) => ({
        query: query.query,
        names: query.names ?? [],
        category: query.category ?? "other",
        targets: [...query.relevant, ...(query.secondary ?? [])].map(targetOf),
      })),
    }))
    .filter((repository) => existsSync(repository.root))
}

function targetOf(target: Target): LabelTarget {
  if (typeof target === "string") return { path: target }
  const { path, start_line, end_line } = target
  return start_line === undefined || end_line === undefined
    ? { path }
    : { path, lines: { start_line, end_line } }
}

export function samePath(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)
}

const CUT = 10
const DISCOUNT = Array.from({ length: CUT }, (_, rank) => 1 / Math.log2(rank + 2))

/** NDCG@10 with binary gains: a target counts at the first result of its file; the ideal is min(10, targets). */
export function ndcg(paths: readonly string[], targets: readonly { readonly path: string }[]): number {
  const ranks = targets.map((target) => paths.findIndex((path) => samePath(path, target.path)))
  return ndcgOfRanks(ranks)
}

export type LabelResult = Lines & { readonly path: string; readonly also: readonly Lines[] }

/**
 * Like `ndcg`, by the rule of score.ts: of a target with lines, the result or a place of its `also` must
 * overlap them.
 */
export function ndcgOfResults(results: readonly LabelResult[], targets: readonly LabelTarget[]): number {
  return ndcgOfRanks(targets.map((target) => results.findIndex((result) => covers(result, target))))
}

function covers(result: LabelResult, { path, lines }: LabelTarget): boolean {
  if (!samePath(result.path, path)) return false
  if (lines === undefined) return true
  return [result, ...result.also].some(
    (place) => place.end_line >= lines.start_line && place.start_line <= lines.end_line,
  )
}

/** NDCG@10 from the 0-based rank of each target, −1 if it was not found. */
function ndcgOfRanks(ranks: readonly number[]): number {
  const gains = new Array<number>(CUT).fill(0)
  for (const rank of ranks) if (rank >= 0 && rank < CUT) gains[rank] = 1
  const gained = gains.reduce((sum, gain, rank) => sum + gain * DISCOUNT[rank]!, 0)
  const ideal = DISCOUNT.slice(0, Math.min(CUT, ranks.length)).reduce((sum, share) => sum + share, 0)
  return ideal > 0 ? gained / ideal : 0
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
