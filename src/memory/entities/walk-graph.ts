import { GrowingF64, GrowingU32, pageRank, type WalkGraph } from "../../base/index.ts"
import { freezeLists, invertedLists, listAt, type NumberLists } from "../recall/index/frozen.ts"
import { TopSlots } from "../recall/scores.ts"
import type { KnownEntities } from "./entities.ts"

/** Entities, the entries that mention them, and the ways from entity to entity. */
export type EntityWalks = {
  /** The entities that each entry mentions. */
  readonly mentions: NumberLists
  /** The entries that mention each entity. */
  readonly mentionedBy: NumberLists
  /** Max entities that an entry mentions. */
  readonly maxMentions: number
  /** Sum of the weights of each entity's edges: its relations, and its mentions with a weight of 1 each. */
  readonly weights: Float64Array
  /** The ways from each entity over a relation, or over an entry that mentions both, to an entity, itself included. */
  readonly ways: WalkGraph
}

/** The ids of a graph's entries by their numbers. */
export type EntryWalk = {
  readonly walks: EntityWalks
  readonly idOf: (entry: number) => string
  /** -1 for an entry that mentions no entity. */
  readonly numberOf: (id: string) => number
}

/** The probability that a walker continues at each step. */
const DAMPING = 0.5

/**
 * The walks over these relations and mentions; `all`: the entities that each entry mentions, sorted. A walker comes from
 * an entity over an entry to an entity in two steps, so only entities are nodes.
 */
export function entityWalks(edges: KnownEntities["edges"], all: readonly (readonly number[])[]): EntityWalks {
  const mentions = freezeLists(all.length, (entry) => all[entry]!)
  const maxMentions = all.reduce((max, { length }) => Math.max(max, length), 0)
  const mentionedBy = invertedLists(mentions, edges.length)
  return { mentions, mentionedBy, maxMentions, ...waysOf(edges, mentions, mentionedBy) }
}

function waysOf(edges: KnownEntities["edges"], mentions: NumberLists, mentionedBy: NumberLists) {
  const { ends, numbers } = mentions
  const weights = new Float64Array(edges.length)
  const first = new Int32Array(edges.length + 1)
  const targets = new GrowingU32()
  const shares = new GrowingF64()
  const sums = new Float64Array(edges.length)
  const add = (other: number, weight: number) => {
    if (sums[other] === 0 && weight > 0) targets.push(other)
    sums[other]! += weight
  }
  for (let entity = 0; entity < edges.length; entity++) {
    for (const { other, relation } of edges[entity]!) {
      weights[entity]! += relation.weight
      add(other, relation.weight)
    }
    for (let at = mentionedBy.ends[entity]!; at < mentionedBy.ends[entity + 1]!; at++) {
      const entry = mentionedBy.numbers[at]!
      const end = ends[entry + 1]!
      // A mention weighs as much as the strongest relation, 1. Of those who come to the entry, a share goes on.
      const weight = DAMPING / (end - ends[entry]!)
      weights[entity]! += 1
      for (let i = ends[entry]!; i < end; i++) add(numbers[i]!, weight)
    }
    for (let at = first[entity]!; at < targets.length; at++) {
      const other = targets.values[at]!
      shares.push(sums[other]! / weights[entity]!)
      sums[other] = 0
    }
    first[entity + 1] = targets.length
  }
  const ways = {
    size: edges.length,
    first,
    target: Int32Array.from(targets.view()),
    share: shares.view().slice(),
  }
  return { weights, ways }
}

/** The numbers of the entries that mention each entity. */
export function mentioningEntries({ mentionedBy }: EntityWalks): number[][] {
  return Array.from({ length: mentionedBy.ends.length - 1 }, (_, entity) => [...listAt(mentionedBy, entity)])
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
 * true, nearest first. The named entities together weigh as much as all hits. A score is proportional to the number of
 * walkers that arrive over edges, without those that start there, divided by √(number of edges), because an entry with
 * very many relations says little.
 */
export function entryScores(
  { walks, idOf, numberOf }: EntryWalk,
  seeds: ScoreSeeds,
  accepts: (id: string) => boolean,
): Map<string, number> {
  const hits = [...seeds.entries]
    .map(([id, weight]) => ({ entry: numberOf(id), weight }))
    .filter(({ entry, weight }) => entry >= 0 && weight > 0)
  const sum = hits.reduce((all, { weight }) => all + weight, 0)
  const starts = seeds.entities.map((node) => ({ node, weight: 1 / seeds.entities.length }))
  for (const { entry, weight } of hits) {
    const mentioned = listAt(walks.mentions, entry)
    for (const node of mentioned) starts.push({ node, weight: (DAMPING * weight) / sum / mentioned.length })
  }
  const { rank } = pageRank(walks.ways, starts, { damping: DAMPING, tolerance: TOLERANCE })
  const departing = rank.map((visits, entity) =>
    walks.weights[entity]! > 0 ? visits / walks.weights[entity]! : 0,
  )
  return nearest(walks, departing, { idOf, accepts })
}

/**
 * The scores of the nearest entries. `departing`: the walkers that leave each entity over an edge of
 * weight 1, on any scale. First come the
 * entries whose greatest summand is over half of the greatest of all, then those with over a quarter, and so on until no
 * entry that follows can be among the nearest.
 */
function nearest(
  { mentions, mentionedBy, maxMentions }: EntityWalks,
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
function scoreFrom(
  { ends, numbers }: NumberLists,
  departing: Float64Array,
  entry: number,
  entity: number,
): number {
  const own = departing[entity]!
  let sum = 0
  for (let at = ends[entry]!; at < ends[entry + 1]!; at++) {
    const other = departing[numbers[at]!]!
    if (other > own || (other === own && numbers[at]! < entity)) return 0
    sum += other
  }
  return sum / Math.sqrt(ends[entry + 1]! - ends[entry]!)
}

/** Share of walkers that may still be walking: less changes the order of ten answers in 1 of 700 questions. */
const TOLERANCE = 1e-5
