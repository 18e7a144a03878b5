import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

type Target = string | { readonly path: string; readonly start_line?: number; readonly end_line?: number }

export type LabelledQuery = {
  readonly query: string
  readonly category: string
  readonly targets: readonly { readonly path: string }[]
}

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
        category: query.category ?? "other",
        targets: [...query.relevant, ...(query.secondary ?? [])].map((target) =>
          typeof target === "string" ? { path: target } : { path: target.path },
        ),
      })),
    }))
    .filter((repository) => existsSync(repository.root))
}

export function samePath(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)
}

const CUT = 10
const DISCOUNT = Array.from({ length: CUT }, (_, rank) => 1 / Math.log2(rank + 2))

/** NDCG@10 with binary gains: a target counts at the first result of its file; the ideal is min(10, targets). */
export function ndcg(paths: readonly string[], targets: readonly { readonly path: string }[]): number {
  const gains = new Array<number>(CUT).fill(0)
  for (const target of targets) {
    const rank = paths.slice(0, CUT).findIndex((path) => samePath(path, target.path))
    if (rank >= 0) gains[rank] = 1
  }
  const gained = gains.reduce((sum, gain, rank) => sum + gain * DISCOUNT[rank]!, 0)
  const ideal = DISCOUNT.slice(0, Math.min(CUT, targets.length)).reduce((sum, share) => sum + share, 0)
  return ideal > 0 ? gained / ideal : 0
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
