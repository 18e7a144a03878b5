/*
 * Keeps the graph of entities current and scores entries by closeness. Changes are collected by `apply`; the next
 * query reads new texts for names, and appends entries to the walk or builds it again. `entryScores` runs a random walk
 * (personalised PageRank) from the hits and the entities that a question names. Of entries that are in the stored recall
 * index, only the names that they mention are held, and their stored walk is used. The graph as objects is made only when
 * it is asked for.
 */

import { passages } from "../../base/pagerank.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import type { ImageParts } from "../recall/index/frozen.ts"
import type { StoredEntries } from "../recall/index/image.ts"
import { TopSlots } from "../recall/scores.ts"
import {
  type Entity,
  EntityIndex,
  type KnowledgeGraph,
  type KnownEntities,
  knowledgeGraph,
  type Relation,
} from "./entities.ts"
import { mayHold, type NameChange, TextLinks } from "./names.ts"
import {
  type MentionedNames,
  numbersOf,
  openMentions,
  StoredMentions,
  type StoredWalk,
} from "./stored-mentions.ts"
import { DAMPING, type EntryWalk, entryWalk, type MentionRows } from "./walk-graph.ts"

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
  #walk: Walk | null = null
  /** The graph of `#walk`; null until it is asked for. */
  #graph: KnowledgeGraph | null = null
  /** Entries changed since the walk was built, with the entities they mentioned then. */
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
      this.#useWalk(null)
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
    const { edges, idOf } = this.#currentWalk()
    this.#graph ??= knowledgeGraph(this.#known, edges, idOf)
    return this.#graph
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
    const isSameNames = this.#entities.known() === this.#known
    if (this.#walk === null && this.#storedWalk !== null && isSameNames) {
      const { edges, slots } = this.#storedWalk
      this.#useWalk({ edges, ...numbering({ slots, others: [] }, this.#stored!.entries) })
    }
    if (this.#walk === null || !isSameNames) this.#build()
    else if (this.#changed.size > 0) this.#applyChanges(this.#walk)
    return this.#walk!
  }

  #useWalk(walk: Walk | null): void {
    this.#walk = walk
    this.#graph = null
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
    this.#useWalk(null)
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
    const isUnchanged = this.#entries.size === 0 && this.#replaced.size === 0
    if (this.#storedWalk === null && isUnchanged) {
      const { edges, slots } = this.#build()
      this.#storedWalk = { edges, slots }
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

  #build(): Walk {
    this.#followNames()
    this.#read()
    const slots: number[] = []
    const others: string[] = []
    const first = [0]
    const mentioned: number[] = []
    const add = <T>(entities: readonly number[], list: T[], entry: T) => {
      if (entities.length === 0) return
      mentioned.push(...entities)
      first.push(mentioned.length)
      list.push(entry)
    }
    const stored = this.#stored?.entries ?? null
    for (let slot = 0; slot < (stored?.size ?? 0); slot++)
      if (!this.#replaced.has(stored!.idAt(slot)))
        add(this.#stored!.numbersAt(slot, this.#known), slots, slot)
    for (const id of this.#entries.keys()) add(this.#presentMentions(id), others, id)
    const mentions = { first: Int32Array.from(first), mentioned: Int32Array.from(mentioned) }
    const numbers = numbering({ slots: Uint32Array.from(slots), others }, stored)
    const walk = { edges: entryWalk(this.#known.edges, mentions), ...numbers }
    this.#useWalk(walk)
    this.#storedWalk = null
    this.#changed.clear()
    return walk
  }

  /**
   * Applies the changed entries to the walk: appends those that mentioned no entity before. If the mentions of an entry
   * that is in the walk changed, the walk is built again.
   */
  #applyChanges(walk: Walk): void {
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
    const added = changes.map(({ present }) => present)
    const touched = new Set(added.flat())
    const isSame = (entity: number) => !touched.has(entity)
    const mentions = withMentions(walk.edges, added)
    const edges = entryWalk(this.#known.edges, mentions, { walk: walk.edges, isSame })
    const others = [...walk.others, ...changes.map(({ id }) => id)]
    this.#useWalk({ edges, ...numbering({ slots: walk.slots, others }, this.#stored?.entries ?? null) })
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

/** The entries of a walk by their numbers: entries of the stored index by their slots, followed by other entries. */
type WalkEntries = { readonly slots: Uint32Array; readonly others: readonly string[] }

/** A walk, and the ids of its entries by their numbers. */
type NumberedWalk = {
  readonly edges: EntryWalk
  readonly idOf: (entry: number) => string
  /** -1 for an entry that mentions no entity. */
  readonly numberOf: (id: string) => number
}
type Walk = WalkEntries & NumberedWalk

function numbering(entries: WalkEntries, stored: StoredEntries | null) {
  const { slots, others } = entries
  const ofSlot = new Int32Array(stored?.size ?? 0).fill(-1)
  for (let entry = 0; entry < slots.length; entry++) ofSlot[slots[entry]!] = entry
  const ofOther = new Map(others.map((id, place) => [id, slots.length + place]))
  return {
    ...entries,
    idOf: (entry: number) =>
      entry < slots.length ? stored!.idAt(slots[entry]!) : others[entry - slots.length]!,
    numberOf: (id: string) => ofOther.get(id) ?? ofSlot[stored?.slotOf(id) ?? -1] ?? -1,
  }
}

/** The mentions with those of further entries appended. */
function withMentions({ first, mentioned }: MentionRows, added: readonly (readonly number[])[]): MentionRows {
  const starts = new Int32Array(first.length + added.length)
  starts.set(first)
  for (const [i, { length }] of added.entries())
    starts[first.length + i] = starts[first.length + i - 1]! + length
  const all = new Int32Array(starts.at(-1)!)
  all.set(mentioned)
  all.set(added.flat(), mentioned.length)
  return { first: starts, mentioned: all }
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
  { edges: walk, idOf, numberOf }: NumberedWalk,
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
