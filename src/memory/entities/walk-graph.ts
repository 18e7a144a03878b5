import { GrowingF64, GrowingU32 } from "../../base/index.ts"
import { TopSlots } from "../recall/scores.ts"
import type { KnownEntities } from "./entities.ts"

/** Lists of numbers, one after the other: list i from ends[i] to ends[i + 1]. */
type Lists = { readonly ends: Int32Array; readonly numbers: Int32Array | Uint32Array }

/** Entities, the entries that mention them, and the linear equations of walks over both. */
export type WalkGraph = {
  /** The entities that each entry mentions. */
  readonly mentions: Lists
  /** The entries that mention each entity. */
  readonly mentionedBy: Lists
  /** Max entities that an entry mentions. */
  readonly maxMentions: number
  /**
   * The equations for the visits of each entity per unit of the weight of its edges: a symmetric matrix, as its diagonal and
   * what is subtracted in each row before the diagonal.
   */
  readonly diagonal: Float64Array
  /** 1 ÷ each element of the diagonal; 0 for one of 0. */
  readonly inverse: Float64Array
  readonly before: Lists & { readonly values: Float64Array }
}

/** The ids of a graph's entries by their numbers. */
export type EntryWalk = {
  readonly graph: WalkGraph
  readonly idOf: (entry: number) => string
  /** -1 for an entry that mentions no entity. */
  readonly numberOf: (id: string) => number
}

/** The probability that a walker continues at each step. */
const DAMPING = 0.5

/**
 * The graph of these relations and mentions; `all`: the entities that each entry mentions, sorted. A walker comes from an
 * entity over an entry to an entity in two steps, so only entities are unknowns of the equations.
 */
export function walkGraph(edges: KnownEntities["edges"], all: readonly (readonly number[])[]): WalkGraph {
  const ends = new Int32Array(all.length + 1)
  for (let i = 0; i < all.length; i++) ends[i + 1] = ends[i]! + all[i]!.length
  const numbers = new Int32Array(ends[all.length]!)
  for (let i = 0; i < all.length; i++) numbers.set(all[i]!, ends[i])
  const maxMentions = all.reduce((max, { length }) => Math.max(max, length), 0)
  const mentions = { ends, numbers }
  const mentionedBy = inverted(mentions, edges.length)
  return { mentions, mentionedBy, maxMentions, ...equations(edges, mentions, mentionedBy) }
}

/** For each of `count` numbers the lists that contain it. */
function inverted(lists: Lists, count: number): Lists {
  const ends = new Int32Array(count + 1)
  for (let at = 0; at < lists.numbers.length; at++) ends[lists.numbers[at]! + 1]!++
  for (let i = 0; i < count; i++) ends[i + 1]! += ends[i]!
  const numbers = new Int32Array(lists.numbers.length)
  const next = ends.slice()
  for (let list = 0, at = 0; list + 1 < lists.ends.length; list++)
    for (; at < lists.ends[list + 1]!; at++) numbers[next[lists.numbers[at]!]!++] = list
  return { ends, numbers }
}

function equations(edges: KnownEntities["edges"], mentions: Lists, mentionedBy: Lists) {
  const diagonal = new Float64Array(edges.length)
  const ends = new Int32Array(edges.length + 1)
  const numbers = new GrowingU32()
  const values = new GrowingF64()
  const sums = new Float64Array(edges.length)
  const add = (other: number, value: number) => {
    if (sums[other] === 0 && value > 0) numbers.push(other)
    sums[other]! += value
  }
  for (let entity = 0; entity < edges.length; entity++) {
    for (const { other, relation } of edges[entity]!) {
      diagonal[entity]! += relation.weight
      if (other < entity) add(other, DAMPING * relation.weight)
    }
    for (let at = mentionedBy.ends[entity]!; at < mentionedBy.ends[entity + 1]!; at++) {
      const entry = mentionedBy.numbers[at]!
      let i = mentions.ends[entry]!
      const back = (DAMPING * DAMPING) / (mentions.ends[entry + 1]! - i)
      for (; mentions.numbers[i]! < entity; i++) add(mentions.numbers[i]!, back)
      // A mention weighs as much as the strongest relation, 1.
      diagonal[entity]! += 1 - back
    }
    for (let at = ends[entity]!; at < numbers.length; at++) {
      values.push(sums[numbers.values[at]!]!)
      sums[numbers.values[at]!] = 0
    }
    ends[entity + 1] = numbers.length
  }
  const inverse = diagonal.map((value) => (value > 0 ? 1 / value : 0))
  return {
    diagonal,
    inverse,
    before: { ends, numbers: numbers.view().slice(), values: values.view().slice() },
  }
}

/** The numbers of the entries that mention each entity. */
export function mentioningEntries({ mentionedBy: { ends, numbers } }: WalkGraph): number[][] {
  return Array.from({ length: ends.length - 1 }, (_, entity) =>
    Array.from(numbers.subarray(ends[entity]!, ends[entity + 1]!)),
  )
}

/** The start of the walk. */
export type ScoreSeeds = {
  /** Hits by id with their scores, 0 or more. */
  readonly entries: Iterable<readonly [id: string, weight: number]>
  /** Numbers of the entities that the question names. */
  readonly entities: readonly number[]
}

/**
 * Number of entries that get a score. The scores of further entries mean nothing, because over hubs every entry is
 * close to every other.
 */
const NEAREST = 50

/**
 * Closeness of entries to the seeds by personalised PageRank, by id: the nearest 50 for which `accepts` is
 * true, nearest first. The named entities together weigh as much as all hits. A score is the expected number of walkers
 * that arrive over edges, without those that start there, divided by √(number of edges), because an entry with very many
 * relations says little.
 */
export function entryScores(
  { graph, idOf, numberOf }: EntryWalk,
  seeds: ScoreSeeds,
  accepts: (id: string) => boolean,
): Map<string, number> {
  const { ends, numbers } = graph.mentions
  const hits = [...seeds.entries]
    .map(([id, weight]) => ({ entry: numberOf(id), weight }))
    .filter(({ entry, weight }) => entry >= 0 && weight > 0)
  const sum = hits.reduce((all, { weight }) => all + weight, 0)
  const start = new Float64Array(graph.diagonal.length)
  for (const entity of seeds.entities) start[entity]! += 1 / seeds.entities.length
  for (const { entry, weight } of hits) {
    const going = (DAMPING * weight) / sum / (ends[entry + 1]! - ends[entry]!)
    for (let at = ends[entry]!; at < ends[entry + 1]!; at++) start[numbers[at]!]! += going
  }
  return nearest(graph, departures(graph, start), { idOf, accepts })
}

/**
 * The scores of the nearest entries. `departing`: the walkers that leave each entity over an edge of weight 1. First come the
 * entries whose greatest summand is over half of the greatest of all, then those with over a quarter, and so on until no
 * entry that follows can be among the nearest.
 */
function nearest(
  { mentions, mentionedBy, maxMentions }: WalkGraph,
  departing: Float64Array,
  { idOf, accepts }: Pick<EntryWalk, "idOf"> & { readonly accepts: (id: string) => boolean },
): Map<string, number> {
  const best = new TopSlots(NEAREST, idOf)
  const scores = new Map<number, number>()
  let greatest = 0
  for (let i = 0; i < departing.length; i++) greatest = Math.max(greatest, departing[i]!)
  const scale = Math.sqrt(maxMentions)
  for (let max = greatest; max > greatest * MIN_SHARE && best.admits(max * scale); max /= 2) {
    for (const entity of numbersWithin(departing, max / 2, max)) {
      for (let at = mentionedBy.ends[entity]!; at < mentionedBy.ends[entity + 1]!; at++) {
        const entry = mentionedBy.numbers[at]!
        const score = scoreFrom(mentions, departing, entry, entity)
        if (score === 0 || !best.admits(score) || !accepts(idOf(entry))) continue
        best.add(entry, score)
        scores.set(entry, score)
      }
    }
  }
  return new Map(best.slots().map((entry) => [idOf(entry), scores.get(entry)!]))
}

/** The indexes of the values above `min` and up to `max`. */
function numbersWithin(values: Float64Array, min: number, max: number): number[] {
  const found: number[] = []
  for (let i = 0; i < values.length; i++) if (values[i]! > min && values[i]! <= max) found.push(i)
  return found
}

/** Share of the greatest summand below which entries get no score. */
const MIN_SHARE = 1e-9

/** The score of an entry if `entity` is its greatest summand, and the first of these; 0 otherwise. */
function scoreFrom({ ends, numbers }: Lists, departing: Float64Array, entry: number, entity: number): number {
  const own = departing[entity]!
  let sum = 0
  for (let at = ends[entry]!; at < ends[entry + 1]!; at++) {
    const other = departing[numbers[at]!]!
    if (other > own || (other === own && numbers[at]! < entity)) return 0
    sum += other
  }
  return sum / Math.sqrt(ends[entry + 1]! - ends[entry]!)
}

/** The computation stops at this relative error, which changes the order of ten answers in 1 of 700 questions. */
const TOLERANCE = 1e-5

/** Max rounds, because rounding may keep the error from getting that small. */
const MAX_ROUNDS = 30

/**
 * Solves the graph's equations for walkers that start with this distribution, by conjugate gradients (Hestenes, Stiefel
 * 1952) scaled by the diagonal. Because half of the walkers stop at each step, the diagonal outweighs the rest of its row,
 * and about six rounds are enough for any number of entries.
 */
function departures(graph: WalkGraph, start: Float64Array): Float64Array {
  const { inverse } = graph
  const found = new Float64Array(start.length)
  const way = new Float64Array(start.length)
  const change = new Float64Array(start.length)
  let last = 1
  let min = 0
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let error = 0
    for (let i = 0; i < way.length; i++) error += start[i]! * start[i]! * inverse[i]!
    if (round === 0) min = error * TOLERANCE ** 2
    if (error <= min) break
    for (let i = 0; i < way.length; i++)
      way[i] = start[i]! * inverse[i]! + (round === 0 ? 0 : error / last) * way[i]!
    const step = error / multiply(graph, way, change)
    for (let i = 0; i < way.length; i++) {
      found[i]! += step * DAMPING * way[i]!
      start[i]! -= step * change[i]!
    }
    last = error
  }
  return found
}

/** Writes the matrix times `vector` to `product`; returns the product of both vectors. */
function multiply({ diagonal, before }: WalkGraph, vector: Float64Array, product: Float64Array): number {
  const { ends, numbers, values } = before
  for (let i = 0, at = 0; i < vector.length; i++) {
    const own = vector[i]!
    let sum = diagonal[i]! * own
    for (; at < ends[i + 1]!; at++) {
      sum -= values[at]! * vector[numbers[at]!]!
      product[numbers[at]!]! -= values[at]! * own
    }
    product[i] = sum
  }
  let both = 0
  for (let i = 0; i < vector.length; i++) both += vector[i]! * product[i]!
  return both
}
