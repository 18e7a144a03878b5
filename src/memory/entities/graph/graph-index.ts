/*
 * Keeps the graph of entities current and scores entries by closeness. Changes are collected by `apply`; the next
 * query reads new texts for names, appends entries or rebuilds the graph. `entryScores` runs a random walk
 * (personalised PageRank) from the hits and the entities that a question names.
 */

import { passages } from "../../../base/pagerank.ts"
import type { Entry } from "../../entries/entry.ts"
import { comparable } from "../../entries/labels.ts"
import { TopSlots } from "../../recall/scores.ts"
import type { Entity, Relation } from "../entity.ts"
import { EntityIndex } from "../entity-index.ts"
import { readLinks, writeLinks } from "../names/stored-links.ts"
import { TextLinks } from "../names/text-links.ts"
import { type KnowledgeGraph, type KnownEntities, knowledgeGraph, withEntries } from "./knowledge-graph.ts"
import { DAMPING, type EntryWalk, entryWalk } from "./walk-graph.ts"

export type GraphEntry = Pick<Entry, "id" | "project" | "text" | "entities" | "deletedAt">

/** Changes since the last `apply`. `purged`: ids of any kind. */
export type GraphChanges = {
  readonly entries?: Iterable<GraphEntry>
  readonly entities?: Iterable<Entity>
  readonly relations?: Iterable<Relation>
  readonly purged?: Iterable<string>
}

/** Keeps the graph current: collects changes and applies them at the next query. */
export class GraphIndex {
  /** Entries that are not deleted. */
  readonly #entries = new Map<string, GraphEntry>()
  readonly #entities = new EntityIndex()
  readonly #links = new TextLinks()
  /** The entities that each entry mentions, by their current numbers. */
  readonly #mentions = new Map<string, readonly number[]>()
  /** Entries whose text has not been read yet. */
  readonly #unread = new Set<string>()
  #deferred: (() => void) | null = null
  #known: KnownEntities = this.#entities.known()
  #graph: KnowledgeGraph | null = null
  #walk: Walk | null = null
  /** Entries changed since the graph was built, with the entities they mentioned then. */
  readonly #changed = new Map<string, readonly number[]>()

  apply({ entries = [], entities = [], relations = [], purged = [] }: GraphChanges): void {
    for (const entry of entries) {
      if (!this.#changed.has(entry.id)) this.#changed.set(entry.id, this.#mentions.get(entry.id) ?? NOTHING)
      this.#forget(entry.id)
      if (entry.deletedAt !== null) continue
      this.#entries.set(entry.id, entry)
      this.#unread.add(entry.id)
    }
    for (const entity of entities) this.#entities.putEntity(entity)
    for (const relation of relations) this.#entities.putRelation(relation)
    for (const id of purged) {
      this.#changed.set(id, this.#changed.get(id) ?? this.#mentions.get(id) ?? NOTHING)
      this.#forget(id)
      this.#entities.remove(id)
    }
  }

  /**
   * Postpones `fill` until an entity is known, because without entities no text has to be read for names. `store`
   * receives the links to store.
   */
  defer(
    load: () => { readonly entries: Iterable<GraphEntry>; readonly kept: string | null },
    store: (links: string) => void,
  ): void {
    this.#deferred = () => {
      const { entries, kept } = load()
      const unchanged = [...entries].filter(({ id }) => !this.#changed.has(id))
      const links = this.fill({ entries: unchanged }, kept)
      if (links !== null) store(links)
    }
  }

  /**
   * Fills the index, using the links stored in `kept`. Returns the links to store for the next time, or null
   * when too little was read to be worth storing.
   */
  fill(changes: GraphChanges, kept: string | null): string | null {
    this.apply(changes)
    if (this.#entries.size < MIN_READ) return null
    const links = kept === null ? null : readLinks(kept)
    if (links !== null) {
      const adopted = this.#links.restore(links, this.#entries.values())
      for (const id of adopted) this.#unread.delete(id)
    }
    this.graph()
    const isWorth = this.#links.read >= Math.max(MIN_READ, this.#entries.size * MIN_READ_SHARE)
    return isWorth ? writeLinks(this.#links.found()) : null
  }

  graph(): KnowledgeGraph {
    if (this.#deferred !== null && this.#entities.known().entities.length > 0) {
      const fill = this.#deferred
      this.#deferred = null
      fill()
    }
    if (this.#graph === null || this.#entities.known() !== this.#known) this.#build()
    else if (this.#changed.size > 0) this.#applyChanges(this.#graph)
    return this.#graph!
  }

  /**
   * Closeness of entries to the hits and to the entities that the question names; see entryScores. Empty when the
   * graph contains neither of these.
   */
  scores(
    hits: Iterable<readonly [id: string, weight: number]>,
    question: string,
    project: string | null,
    accepts: (id: string) => boolean = () => true,
  ): Map<string, number> {
    const graph = this.graph()
    if (graph.entries.length === 0) return new Map()
    this.#walk ??= walkOver(graph)
    const named = numbersOf(graph, project, this.#links.inText(question, project))
    return entryScores(
      graph,
      this.#walk.edges,
      this.#walk.entries,
      { entries: hits, entities: named },
      accepts,
    )
  }

  #forget(entry: string): void {
    this.#entries.delete(entry)
    this.#links.remove(entry)
    this.#mentions.delete(entry)
    this.#unread.delete(entry)
  }

  #build(): void {
    const known = this.#entities.known()
    if (known !== this.#known) {
      this.#links.setNames(known.names)
      this.#mentions.clear()
      this.#known = known
    }
    this.#read()
    this.#graph = knowledgeGraph(known, this.#entries.values(), (entry) => this.#mentionsOf(entry))
    this.#walk = null
    this.#changed.clear()
  }

  /**
   * Applies the changed entries to the graph: appends those that mentioned no entity before. If the mentions of an
   * entry that is in the graph changed, the graph is built again.
   */
  #applyChanges(graph: KnowledgeGraph): void {
    this.#read()
    const changes = [...this.#changed]
      .map(([id, former]) => ({ id, former, present: this.#presentMentions(id) }))
      .filter(({ former, present }) => present.join() !== former.join())
    if (changes.some(({ former }) => former.length > 0)) {
      this.#build()
      return
    }
    this.#changed.clear()
    if (changes.length === 0) return
    this.#graph = withEntries(
      graph,
      changes.map(({ id, present }) => [id, present]),
    )
    if (this.#walk !== null) this.#walk = grown(this.#walk, this.#graph, graph.entries.length)
  }

  #presentMentions(id: string): readonly number[] {
    const entry = this.#entries.get(id)
    return entry === undefined ? NOTHING : this.#mentionsOf(entry)
  }

  #read(): void {
    for (const id of this.#unread) {
      const { project, text } = this.#entries.get(id)!
      this.#links.put(id, project, text)
    }
    this.#unread.clear()
  }

  /** Numbers of the entities that an entry mentions. */
  #mentionsOf({ id, project, entities }: GraphEntry): readonly number[] {
    const known = this.#mentions.get(id)
    if (known !== undefined) return known
    const inText = this.#links.of(id)
    const keys = entities.length === 0 ? inText : [...entities.map(comparable), ...inText]
    const numbers = numbersOf(this.#known, project, keys)
    this.#mentions.set(id, numbers)
    return numbers
  }
}

type Walk = {
  readonly edges: EntryWalk
  /** Numbers of entries by id. */
  readonly entries: Map<string, number>
}

function walkOver(graph: KnowledgeGraph): Walk {
  return { edges: entryWalk(graph), entries: new Map(graph.entries.map((id, number) => [id, number])) }
}

/** The walk after entries were appended to the graph, from number `from` on. */
function grown({ edges: walk, entries }: Walk, graph: KnowledgeGraph, from: number): Walk {
  const touched = new Set(graph.mentions.slice(from).flat())
  for (let entry = from; entry < graph.entries.length; entry++) entries.set(graph.entries[entry]!, entry)
  return { edges: entryWalk(graph, { walk, isSame: (entity) => !touched.has(entity) }), entries }
}

/**
 * The links are stored again if at least this many entries, and at least this share of all entries, had to be read.
 * Reading fewer entries again is faster than writing all links.
 */
const MIN_READ = 50
const MIN_READ_SHARE = 0.1

const NOTHING: readonly number[] = []

/** Numbers of the entities with these names, sorted. */
function numbersOf(
  { names, numbers }: KnownEntities,
  project: string | null,
  keys: readonly string[],
): readonly number[] {
  if (keys.length === 0) return NOTHING
  const found: number[] = []
  for (const key of keys) {
    const entity = names.findKey(key, project)
    const number = entity === null ? undefined : numbers.get(entity.id)
    if (number !== undefined && !found.includes(number)) found.push(number)
  }
  return found.length > 1 ? found.sort((one, other) => one - other) : found
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
 * true, nearest first. The named entities together weigh as much as all hits. A score contains only rank
 * received over edges, without the share that a seed has from the start, divided by √(number of edges), because
 * an entry with very many relations says little.
 */
export function entryScores(
  graph: KnowledgeGraph,
  walk: EntryWalk,
  numbers: ReadonlyMap<string, number>,
  seeds: ScoreSeeds,
  accepts: (id: string) => boolean,
): Map<string, number> {
  const entries = shares(nodeNumbers(numbers, seeds.entries))
  const entities = shares(seeds.entities.map((node) => [node, 1]))
  if (entries.length + entities.length === 0) return new Map()
  const parts = Number(entries.length > 0) + Number(entities.length > 0)
  const start = startVector(graph, walk, entries, entities, parts)
  const { passed } = passages(walk.ties, start, { damping: 1, tolerance: walk.tolerance })
  const arrived = arrivals(walk, passed)
  const visits = visitsOf(graph, passed, arrived) + (entries.length > 0 ? 1 / parts : 0)
  const scores = damped(walk, visits)
  const best = new TopSlots(NEAREST, (entry) => graph.entries[entry]!)
  for (let entry = 0; entry < scores.length; entry++) {
    const score = scores[entry]!
    if (score > 0 && best.admits(score) && accepts(graph.entries[entry]!)) best.add(entry, score)
  }
  return new Map(best.slots().map((entry) => [graph.entries[entry]!, scores[entry]!]))
}

type WeightedNode = readonly [number: number, weight: number]

/** The seeds that are in the graph, by their numbers. */
function nodeNumbers(
  numbers: ReadonlyMap<string, number>,
  entries: Iterable<readonly [id: string, weight: number]>,
): WeightedNode[] {
  const found: WeightedNode[] = []
  for (const [id, weight] of entries) {
    const number = numbers.get(id)
    if (number !== undefined && weight > 0) found.push([number, weight])
  }
  return found
}

/** Scales the weights to a sum of 1. */
function shares(seeds: readonly WeightedNode[]): WeightedNode[] {
  const sum = seeds.reduce((total, [, weight]) => total + weight, 0)
  return seeds.map(([number, weight]) => [number, weight / sum])
}

/**
 * The start vector. An entry with few entities has no node of its own (MAX_FOLDED in walk-graph.ts), so its share
 * starts at its entities.
 */
function startVector(
  { mentions }: KnowledgeGraph,
  { ties, wide }: EntryWalk,
  entries: readonly WeightedNode[],
  entities: readonly WeightedNode[],
  parts: number,
): Float64Array {
  const start = new Float64Array(ties.size)
  for (const [entity, share] of entities) start[entity]! += share / parts
  for (const [entry, share] of entries) {
    const node = wide.get(entry)
    const mentioned = mentions[entry]!
    if (node !== undefined) start[node]! += share / parts
    else for (const entity of mentioned) start[entity]! += (share * DAMPING) / (parts * mentioned.length)
  }
  return start
}

/** Expected arrivals at each entry over an edge. */
function arrivals(
  { toEntry, first, mentioned, scores: arrived }: EntryWalk,
  passed: Float64Array,
): Float64Array {
  const outOf = toEntry.slice()
  for (let entity = 0; entity < outOf.length; entity++) outOf[entity]! *= passed[entity]!
  for (let entry = 0; entry < arrived.length; entry++) {
    const end = first[entry + 1]!
    let sum = 0
    for (let at = first[entry]!; at < end; at++) sum += outOf[mentioned[at]!]!
    arrived[entry] = sum
  }
  return arrived
}

/** Normalises the scores in place. */
function damped({ breadth, scores }: EntryWalk, visits: number): Float64Array {
  for (let entry = 0; entry < scores.length; entry++) scores[entry]! /= visits * breadth[entry]!
  return scores
}

/** Visits to all nodes, without starts at entries. */
function visitsOf({ entities }: KnowledgeGraph, passed: Float64Array, arrived: Float64Array): number {
  let sum = 0
  for (let entity = 0; entity < entities.length; entity++) sum += passed[entity]!
  for (let entry = 0; entry < arrived.length; entry++) sum += arrived[entry]!
  return sum
}
