/*
 * Keeps the graph of entities current and scores entries by closeness. Changes are collected by `apply`; the next
 * query reads new texts for names, appends entries or rebuilds the graph. `entryScores` runs a random walk
 * (personalised PageRank) from the hits and the entities that a question names. Of entries that are in the stored recall
 * index, only the names that they mention are held; until something changes, the stored walk is used without a graph.
 */

import { passages } from "../../../base/pagerank.ts"
import type { Entry } from "../../entries/entry.ts"
import { comparable } from "../../entries/labels.ts"
import type { StoredEntries } from "../../recall/index/image.ts"
import type { ImageParts } from "../../recall/index/image-parts.ts"
import { TopSlots } from "../../recall/scores.ts"
import type { Entity, Relation } from "../entity.ts"
import { EntityIndex } from "../entity-index.ts"
import { mayHold, type NameChange, TextLinks } from "../names/text-links.ts"
import { type KnowledgeGraph, type KnownEntities, knowledgeGraph, withEntries } from "./knowledge-graph.ts"
import {
  type MentionedNames,
  numbersOf,
  openMentions,
  StoredMentions,
  type StoredWalk,
} from "./stored-mentions.ts"
import { DAMPING, type EntryWalk, entryWalk } from "./walk-graph.ts"

export type GraphEntry = Pick<Entry, "id" | "project" | "text" | "entities" | "deletedAt">

/** Changes since the last `apply`. `purged`: ids of any kind. */
export type GraphChanges = {
  readonly entries?: Iterable<GraphEntry>
  readonly entities?: Iterable<Entity>
  readonly relations?: Iterable<Relation>
  readonly purged?: Iterable<string>
}

/** The entries of the stored recall index, and access to what the store has of them. */
export type GraphSource = {
  readonly entries: StoredEntries
  /**
   * The entries that are not deleted; entries may be left out if their text contains none of `beginnings` (lower case;
   * null: leave none out) and their id is not among `ids`.
   */
  readonly texts: (beginnings: readonly string[] | null, ids: readonly string[]) => Iterable<GraphEntry>
  /** Stores parts for `open`. */
  readonly store: (parts: ImageParts) => void
}

/** Keeps the graph current: collects changes and applies them at the next query. */
export class GraphIndex {
  /** Entries that are not deleted and not, or no longer, as in the stored recall index. */
  readonly #entries = new Map<string, GraphEntry>()
  readonly #entities = new EntityIndex()
  readonly #links = new TextLinks()
  /** The entities that each entry of `#entries` mentions, by their current numbers. */
  readonly #mentions = new Map<string, readonly number[]>()
  /** Entries whose text has not been read yet. */
  readonly #unread = new Set<string>()
  #source: GraphSource | null = null
  /** Loads `#stored` once an entity is known, because without entities no text has to be read for names. */
  #load: (() => void) | null = null
  #stored: StoredMentions | null = null
  /** The walk over the entries of `#stored`; null after a change of entities or relations. */
  #storedWalk: StoredWalk | null = null
  /** Ids of entries in the stored recall index that were changed or removed since. */
  readonly #replaced = new Set<string>()
  #known: KnownEntities = this.#entities.known()
  #graph: KnowledgeGraph | null = null
  #walk: Walk | null = null
  /** Entries changed since the graph was built, with the entities they mentioned then. */
  readonly #changed = new Map<string, readonly number[]>()

  apply({ entries = [], entities = [], relations = [], purged = [] }: GraphChanges): void {
    this.#loadIfNeeded()
    for (const entry of entries) {
      this.#remove(entry.id)
      if (entry.deletedAt !== null) continue
      this.#entries.set(entry.id, entry)
      this.#unread.add(entry.id)
    }
    for (const entity of entities) this.#entities.putEntity(entity)
    for (const relation of relations) this.#entities.putRelation(relation)
    for (const id of purged) {
      this.#remove(id)
      this.#entities.remove(id)
    }
  }

  /**
   * Takes the entries from the stored recall index. `parts`: what `source.store` stored. Entries applied before are
   * forgotten.
   */
  open(source: GraphSource, parts: ImageParts | null): void {
    this.#forgetEntries()
    this.#source = source
    this.#load = () => {
      const opened = parts && openMentions(parts, source.entries)
      if (opened !== null) this.#links.adopt(opened.signatures)
      this.#stored = opened?.mentions ?? null
      const isRead = this.#followNames() || opened === null
      this.#stored ??= this.#readAll(source)
      // What is changed before is compared with what the stored entries mentioned.
      for (const id of this.#replaced)
        this.#changed.set(id, this.#stored.numbersAt(source.entries.slotOf(id), this.#known))
      this.#graph = null
      this.#walk = null
      const rows = this.#entities.contentName()
      this.#storedWalk = opened?.walkOver(rows) ?? null
      if (isRead) this.#store(rows)
    }
  }

  /** Like `open`, after the current entries were stored as a new recall index: nothing is read again. */
  reopen(source: GraphSource): void {
    this.#loadIfNeeded()
    if (this.#stored === null && this.#entries.size === 0) {
      this.open(source, null)
      return
    }
    this.#followNames()
    this.#read()
    const { entries } = source
    const stored = StoredMentions.collect(entries, (slot) => this.#namesOf(entries.idAt(slot)))
    this.#forgetEntries()
    this.#source = source
    this.#stored = stored
    if (this.#known.entities.length > 0) this.#store(this.#entities.contentName())
  }

  /** Forgets all entries. */
  clear(): void {
    this.#forgetEntries()
    this.#source = null
  }

  graph(): KnowledgeGraph {
    this.#loadIfNeeded()
    if (this.#graph === null && this.#storedWalk !== null && this.#entities.known() === this.#known)
      this.#useStored(this.#storedWalk)
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
    const walk = this.#currentWalk()
    if (walk.edges.scores.length === 0) return new Map()
    const named = numbersOf(this.#known, project, this.#links.inText(question, project))
    return entryScores(walk, { entries: hits, entities: named }, accepts)
  }

  #currentWalk(): Walk {
    this.#loadIfNeeded()
    const isUnchanged = this.#changed.size === 0 && this.#entities.known() === this.#known
    if (this.#graph === null && this.#storedWalk !== null && isUnchanged)
      this.#walk ??= overSlots(this.#storedWalk, this.#stored!.entries)
    else {
      const graph = this.graph()
      this.#walk ??= walkOver(graph)
    }
    return this.#walk
  }

  #loadIfNeeded(): void {
    if (this.#load === null || this.#entities.known().entities.length === 0) return
    const load = this.#load
    this.#load = null
    load()
  }

  /** Removes an entry and records what it mentioned. */
  #remove(id: string): void {
    if (!this.#changed.has(id)) this.#changed.set(id, this.#formerMentions(id))
    this.#entries.delete(id)
    this.#links.remove(id)
    this.#mentions.delete(id)
    this.#unread.delete(id)
    if (this.#source !== null && this.#source.entries.slotOf(id) >= 0) this.#replaced.add(id)
  }

  #formerMentions(id: string): readonly number[] {
    const slot = this.#storedSlot(id)
    return slot < 0 ? (this.#mentions.get(id) ?? NOTHING) : this.#stored!.numbersAt(slot, this.#known)
  }

  /** Slot of an entry that is as in the stored index; -1 for all others. */
  #storedSlot(id: string): number {
    return this.#stored === null || this.#replaced.has(id) ? -1 : this.#stored.entries.slotOf(id)
  }

  #forgetEntries(): void {
    this.#entries.clear()
    this.#links.removeAll()
    this.#mentions.clear()
    this.#unread.clear()
    this.#replaced.clear()
    this.#changed.clear()
    this.#load = null
    this.#stored = null
    this.#storedWalk = null
    this.#graph = null
    this.#walk = null
  }

  /** Follows a change of the entities. Returns true if texts of stored entries had to be read again. */
  #followNames(): boolean {
    const known = this.#entities.known()
    if (known === this.#known) return false
    this.#known = known
    this.#mentions.clear()
    const change = this.#links.setNames(known.names)
    if (change === null || this.#stored === null) return false
    this.#readStoredAgain(this.#stored, change)
    return true
  }

  #readStoredAgain(stored: StoredMentions, { keys, beginnings }: NameChange): void {
    const withNames = new Set(stored.withNames(keys))
    for (const { id, project, text } of this.#source!.texts(beginnings, [...withNames]))
      if (withNames.has(id) || mayHold(text, beginnings))
        stored.setInText(id, this.#links.inText(text, project))
  }

  #readAll({ entries, texts }: GraphSource): StoredMentions {
    const names = new Map<string, MentionedNames>()
    for (const { id, project, text, entities } of texts(null, []))
      names.set(id, { listed: entities.map(comparable), inText: this.#links.inText(text, project) })
    return StoredMentions.collect(entries, (slot) => names.get(entries.idAt(slot)) ?? NO_NAMES)
  }

  /** Stores the names of the stored entries and the walk over them. `rows`: name of the entities and relations. */
  #store(rows: string): void {
    const { entries } = this.#stored!
    const isUnchanged = this.#entries.size === 0 && this.#replaced.size === 0
    if (this.#storedWalk === null && isUnchanged) {
      this.#build()
      const slots = Uint32Array.from(this.#graph!.entries, (id) => entries.slotOf(id))
      this.#storedWalk = { edges: entryWalk(this.#graph!), slots }
      this.#graph = null
      this.#walk = null
    }
    this.#source!.store(this.#stored!.freeze(this.#links.signatures, rows, this.#storedWalk))
  }

  #namesOf(id: string): MentionedNames {
    const slot = this.#storedSlot(id)
    if (slot >= 0) return this.#stored!.namesAt(slot)
    const entry = this.#entries.get(id)
    return entry === undefined
      ? NO_NAMES
      : { listed: entry.entities.map(comparable), inText: this.#links.of(id) }
  }

  /** Makes the graph of the stored entries from the stored walk. */
  #useStored(stored: StoredWalk): void {
    const { entries } = this.#stored!
    const { first, mentioned } = stored.edges
    const numbers = stored.slots.keys()
    this.#graph = knowledgeGraph(
      this.#known,
      Array.from(numbers, (entry) => ({ id: entries.idAt(stored.slots[entry]!), entry })),
      ({ entry }) => Array.from(mentioned.subarray(first[entry]!, first[entry + 1]!)),
    )
    this.#walk = { edges: stored.edges, ...numbering(this.#graph) }
  }

  #build(): void {
    this.#followNames()
    this.#read()
    this.#graph = knowledgeGraph(this.#known, this.#unchangedAndChanged(), ({ id }) =>
      this.#presentMentions(id),
    )
    this.#walk = null
    this.#storedWalk = null
    this.#changed.clear()
  }

  /** All entries: those that are as in the stored index, and the others. */
  *#unchangedAndChanged(): Iterable<{ readonly id: string }> {
    for (let slot = 0; slot < (this.#stored?.entries.size ?? 0); slot++) {
      const id = this.#stored!.entries.idAt(slot)
      if (!this.#replaced.has(id)) yield { id }
    }
    yield* this.#entries.values()
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
    if (this.#walk !== null) this.#walk = grown(this.#walk.edges, this.#graph, graph.entries.length)
  }

  #read(): void {
    for (const id of this.#unread) {
      const { project, text } = this.#entries.get(id)!
      this.#links.put(id, project, text)
    }
    this.#unread.clear()
  }

  /** Numbers of the entities that an entry mentions now. */
  #presentMentions(id: string): readonly number[] {
    const slot = this.#storedSlot(id)
    if (slot >= 0) return this.#stored!.numbersAt(slot, this.#known)
    const known = this.#mentions.get(id)
    if (known !== undefined) return known
    const entry = this.#entries.get(id)
    if (entry === undefined) return NOTHING
    const { listed, inText } = this.#namesOf(id)
    const numbers = numbersOf(this.#known, entry.project, [...listed, ...inText])
    this.#mentions.set(id, numbers)
    return numbers
  }
}

const NO_NAMES: MentionedNames = { listed: [], inText: [] }

/** A walk, and the ids of its entries by their numbers. */
type Walk = {
  readonly edges: EntryWalk
  readonly idOf: (entry: number) => string
  /** -1 for an entry that mentions no entity. */
  readonly numberOf: (id: string) => number
}

export function walkOver(graph: KnowledgeGraph): Walk {
  return { edges: entryWalk(graph), ...numbering(graph) }
}

function numbering({ entries }: KnowledgeGraph): Pick<Walk, "idOf" | "numberOf"> {
  let numbers: Map<string, number> | null = null
  return {
    idOf: (entry) => entries[entry]!,
    numberOf: (id) => {
      numbers ??= new Map(entries.map((each, number) => [each, number]))
      return numbers.get(id) ?? -1
    },
  }
}

function overSlots({ edges, slots }: StoredWalk, { size, idAt, slotOf }: StoredEntries): Walk {
  const numbers = new Int32Array(size).fill(-1)
  for (const [entry, slot] of slots.entries()) numbers[slot] = entry
  return { edges, idOf: (entry) => idAt(slots[entry]!), numberOf: (id) => numbers[slotOf(id)] ?? -1 }
}

/** The walk after entries were appended to the graph, from number `from` on. */
function grown(walk: EntryWalk, graph: KnowledgeGraph, from: number): Walk {
  const touched = new Set(graph.mentions.slice(from).flat())
  const edges = entryWalk(graph, { walk, isSame: (entity) => !touched.has(entity) })
  return { edges, ...numbering(graph) }
}

const NOTHING: readonly number[] = []

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
  { edges: walk, idOf, numberOf }: Walk,
  seeds: ScoreSeeds,
  accepts: (id: string) => boolean,
): Map<string, number> {
  const entries = shares(nodeNumbers(numberOf, seeds.entries))
  const entities = shares(seeds.entities.map((node) => [node, 1]))
  if (entries.length + entities.length === 0) return new Map()
  const parts = Number(entries.length > 0) + Number(entities.length > 0)
  const start = startVector(walk, entries, entities, parts)
  const { passed } = passages(walk.ties, start, { damping: 1, tolerance: walk.tolerance })
  const arrived = arrivals(walk, passed)
  const visits = visitsOf(walk, passed, arrived) + (entries.length > 0 ? 1 / parts : 0)
  const scores = damped(walk, visits)
  const best = new TopSlots(NEAREST, idOf)
  for (let entry = 0; entry < scores.length; entry++) {
    const score = scores[entry]!
    if (score > 0 && best.admits(score) && accepts(idOf(entry))) best.add(entry, score)
  }
  return new Map(best.slots().map((entry) => [idOf(entry), scores[entry]!]))
}

type WeightedNode = readonly [number: number, weight: number]

/** The seeds that are in the graph, by their numbers. */
function nodeNumbers(
  numberOf: Walk["numberOf"],
  entries: Iterable<readonly [id: string, weight: number]>,
): WeightedNode[] {
  const found: WeightedNode[] = []
  for (const [id, weight] of entries) {
    const number = numberOf(id)
    if (number >= 0 && weight > 0) found.push([number, weight])
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
  { ties, wide, first, mentioned }: EntryWalk,
  entries: readonly WeightedNode[],
  entities: readonly WeightedNode[],
  parts: number,
): Float64Array {
  const start = new Float64Array(ties.size)
  for (const [entity, share] of entities) start[entity]! += share / parts
  for (const [entry, share] of entries) {
    const node = wide.get(entry)
    if (node !== undefined) {
      start[node]! += share / parts
      continue
    }
    const entities = mentioned.subarray(first[entry]!, first[entry + 1]!)
    for (const entity of entities) start[entity]! += (share * DAMPING) / (parts * entities.length)
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
function visitsOf({ toEntry }: EntryWalk, passed: Float64Array, arrived: Float64Array): number {
  let sum = 0
  for (let entity = 0; entity < toEntry.length; entity++) sum += passed[entity]!
  for (let entry = 0; entry < arrived.length; entry++) sum += arrived[entry]!
  return sum
}
