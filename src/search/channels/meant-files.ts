import type { SearchSources } from "../../index/index.ts"
import type { SearchOptions } from "../options.ts"
import { acceptIds } from "./near-chunks.ts"

/** What the sentence encoder finds for a question. */
export type NearMeanings = {
  /** Ids of the files that are nearest to the question, nearest first. */
  readonly files: readonly number[]
  /** The names of the project that are nearest to the question, nearest first. */
  readonly names: readonly string[]
}

/** Files that count; those behind them are no evidence. */
const MEANT_FILES = 50
const NEAR_NAMES = 10

/** The files and names of the project that are nearest to a question; null without the encoder's vectors. */
export async function nearMeanings(
  sources: SearchSources,
  text: string,
  { filter }: SearchOptions,
): Promise<NearMeanings | null> {
  const meanings = sources.meanings()
  if (meanings === null) return null
  const accept = filter.accept === undefined ? undefined : acceptIds(sources, filter.accept)
  const near = await meanings.near(text, { files: MEANT_FILES, names: NEAR_NAMES }, accept)
  sources.afterWait?.()
  return near
}

/** Rank at which a file counts half as much as the first. */
const HALF_RANK = 10

/** How likely each file is what a question means, 0 to 1, by its id: by its place in the order of the encoder's vectors. */
export function meantShares(order: readonly number[]): Map<number, number> {
  return new Map(order.map((id, rank) => [id, HALF_RANK / (HALF_RANK + rank)]))
}
