import type { Corpus } from "./corpus.ts"
import { randomFrom, shuffle } from "./random.ts"
import type { TrainOptions } from "./train-table.ts"

type BatchOptions = Pick<TrainOptions, "batch" | "together">

/** `steps` batches of these pairs; each batch consists of groups that come from one repository each. */
export function* batchesOf(
  { repositories }: Corpus,
  pairs: readonly number[],
  steps: number,
  options: BatchOptions & { readonly seed: number },
): Generator<Uint32Array> {
  const random = randomFrom(options.seed)
  const byRepository = Map.groupBy(pairs, (pair) => repositories[pair]!)
  const lists = Array.from(byRepository.values(), (list) => Uint32Array.from(list))
  let left = steps
  while (left > 0) {
    const batches = shuffledBatches(lists, random, options).slice(0, left)
    if (batches.length === 0) throw new Error("the repositories have too few pairs for a batch")
    left -= batches.length
    yield* batches
  }
}

function shuffledBatches(
  lists: readonly Uint32Array[],
  random: () => number,
  { batch, together }: BatchOptions,
): Uint32Array[] {
  const groups: Uint32Array[] = []
  for (const list of lists) {
    shuffle(list, random)
    for (let at = 0; at + together <= list.length; at += together) groups.push(list.slice(at, at + together))
  }
  shuffle(groups, random)
  const each = batch / together
  return Array.from({ length: Math.floor(groups.length / each) }, (_, i) => {
    const pairs = new Uint32Array(batch)
    for (let j = 0; j < each; j++) pairs.set(groups[i * each + j]!, j * together)
    return pairs
  })
}
