/*
 * Keeps the graph of entities current and scores entries by closeness. Changes are collected by `apply`; the next
 * query reads new texts for names, and builds the walk again if what entries mention has changed. Of entries that are in
 * the stored recall index, only the names that they mention are held. The graph as objects is made only when it is asked
 * for.
 */

import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import type { ImageParts } from "../recall/index/frozen.ts"
import type { StoredEntries } from "../recall/index/image.ts"
import {
  type Entity,
  EntityIndex,
  type KnowledgeGraph,
  type KnownEntities,
  type Relation,
} from "./entities.ts"
import { mayHold, type NameChange, TextLinks } from "./names.ts"
import { type MentionedNames, numbersOf, openMentions, StoredMentions } from "./stored-mentions.ts"
import { type EntryWalk, entityWalks, entryScores, mentioningEntries } from "./walk-graph.ts"

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

/** An entry whose names are held in memory. */
type HeldEntry = {
  readonly entry: GraphEntry
  /** The normalised names in its text; null until the text is read. */
  inText: readonly string[] | null
  /** The entities that it mentions, by their current numbers; null until they are needed. */
  entities: readonly number[] | null
}

/** Keeps the graph current: collects changes and applies them at the next query. */
export class GraphIndex {
  /** Entries that are not deleted and not, or no longer, as in the stored recall index or the stored mentions. */
  readonly #held = new Map<string, HeldEntry>()
  readonly #entities = new EntityIndex()
  readonly #links = new TextLinks()
  #source: GraphSource | null = null
  /** Loads `#stored` once an entity is known, because without entities no text has to be read for names. */
  #load: (() => void) | null = null
  #stored: StoredMentions | null = null
  /** Ids of entries in the stored recall index that were changed or removed since, or whose texts were read again. */
  readonly #replaced = new Set<string>()
  #known: KnownEntities = this.#entities.known()
  /** The entries that mention entities, and which; null until it is needed after a change. */
  #walk: Walk | null = null
  /** The graph of `#walk`; null until it is asked for. */
  #graph: KnowledgeGraph | null = null

  apply({ entries = [], entities = [], relations = [], purged = [] }: GraphChanges): void {
    this.#loadIfNeeded()
    for (const entry of entries) {
      this.#remove(entry.id)
      if (entry.deletedAt !== null) continue
      this.#held.set(entry.id, { entry, inText: null, entities: null })
      this.#forgetWalkOf(entry.id)
    }
    this.#entities.put(entities, relations)
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
      this.#useWalk(null)
      if (isRead) this.#store(source)
    }
  }

  /** Like `open`, after the current entries were stored as a new recall index: nothing is read again. */
  reopen(source: GraphSource): void {
    this.#loadIfNeeded()
    if (this.#stored === null && this.#held.size === 0) {
      this.open(source, null)
      return
    }
    this.#followNames()
    const stored = this.#store(source)
    this.#forgetEntries()
    this.#source = source
    this.#stored = stored
  }

  /** Stores the names that are known of the source's entries. */
  #store(source: GraphSource): StoredMentions {
    const stored = StoredMentions.collect(source.entries, (id) => this.#namesOf(id))
    if (this.#known.entities.length > 0) source.store(stored.freeze(this.#links.signatures))
    return stored
  }

  /** Forgets all entries. */
  clear(): void {
    this.#forgetEntries()
    this.#source = null
  }

  graph(): KnowledgeGraph {
    const { ids, walks } = this.#currentWalk()
    this.#graph ??= { ...this.#known, entries: ids(), mentionedBy: mentioningEntries(walks) }
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
    if (walk.entries === 0) return new Map()
    const named = numbersOf(this.#known, project, this.#links.inText(question, project))
    return entryScores(walk, { entries: hits, entities: named }, accepts)
  }

  #currentWalk(): Walk {
    this.#loadIfNeeded()
    if (this.#entities.known() !== this.#known) this.#useWalk(null)
    return this.#walk ?? this.#build()
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

  /** Forgets the walk if it has this entry, or should have it. */
  #forgetWalkOf(id: string): void {
    if (this.#walk !== null && this.#presentMentions(id).length > 0) this.#useWalk(null)
  }

  #remove(id: string): void {
    this.#forgetWalkOf(id)
    this.#held.delete(id)
    if (this.#source !== null && this.#source.entries.documents.ids.find(id) >= 0) this.#replaced.add(id)
  }

  /** Slot of an entry whose names are those of the stored mentions; -1 for all others. */
  #storedSlot(id: string): number {
    return this.#stored === null || this.#replaced.has(id) ? -1 : this.#stored.entries.documents.ids.find(id)
  }

  #forgetEntries(): void {
    this.#held.clear()
    this.#replaced.clear()
    this.#load = null
    this.#stored = null
    this.#useWalk(null)
  }

  /** Follows a change of the entities. Returns true if texts of stored entries had to be read again. */
  #followNames(): boolean {
    const known = this.#entities.known()
    if (known === this.#known) return false
    this.#known = known
    const change = this.#links.setNames(known.names)
    for (const held of this.#held.values()) {
      held.entities = null
      if (change !== null && isConcerned(held, change)) held.inText = null
    }
    if (change === null || this.#stored === null) return false
    this.#readStoredAgain(this.#stored, change)
    return true
  }

  #readStoredAgain(stored: StoredMentions, { keys, beginnings }: NameChange): void {
    const withNames = new Set(stored.withNames(keys))
    for (const entry of this.#source!.texts(beginnings, [...withNames])) {
      const { id, project, text } = entry
      if (this.#storedSlot(id) < 0 || !(withNames.has(id) || mayHold(text, beginnings))) continue
      this.#replaced.add(id)
      this.#held.set(id, { entry, inText: this.#links.inText(text, project), entities: null })
    }
  }

  #readAll({ entries, texts }: GraphSource): StoredMentions {
    const names = new Map<string, MentionedNames>()
    for (const { id, project, text, entities } of texts(null, []))
      names.set(id, { listed: entities.map(comparable), inText: this.#links.inText(text, project) })
    return StoredMentions.collect(entries, (id) => names.get(id) ?? NO_NAMES)
  }

  #namesOf(id: string): MentionedNames {
    const slot = this.#storedSlot(id)
    if (slot >= 0) return this.#stored!.namesAt(slot)
    const held = this.#held.get(id)
    if (held === undefined) return NO_NAMES
    const { project, text, entities } = held.entry
    held.inText ??= this.#links.inText(text, project)
    return { listed: entities.map(comparable), inText: held.inText }
  }

  #build(): Walk {
    this.#followNames()
    const stored = this.#stored?.entries.documents ?? null
    const mentions: (readonly number[])[] = []
    const slots: number[] = []
    const others: string[] = []
    const entryOfSlot = new Int32Array(stored?.size ?? 0).fill(-1)
    for (let slot = 0; slot < entryOfSlot.length; slot++) {
      const isReplaced = this.#replaced.size > 0 && this.#replaced.has(stored!.ids.at(slot))
      const entities = isReplaced ? NOTHING : this.#stored!.numbersAt(slot, this.#known)
      if (entities.length === 0) continue
      entryOfSlot[slot] = mentions.push(entities) - 1
      slots.push(slot)
    }
    const entryOf = new Map<string, number>()
    for (const id of this.#held.keys()) {
      const entities = this.#presentMentions(id)
      if (entities.length === 0) continue
      entryOf.set(id, mentions.push(entities) - 1)
      others.push(id)
    }
    const idOf = (entry: number) =>
      entry < slots.length ? stored!.ids.at(slots[entry]!) : others[entry - slots.length]!
    const walk = {
      walks: entityWalks(this.#known.edges, mentions),
      entries: mentions.length,
      idOf,
      numberOf: (id: string) => entryOf.get(id) ?? entryOfSlot[stored?.ids.find(id) ?? -1] ?? -1,
      ids: () => Array.from({ length: slots.length + others.length }, (_, entry) => idOf(entry)),
    }
    this.#useWalk(walk)
    return walk
  }

  /** Numbers of the entities that an entry mentions now. */
  #presentMentions(id: string): readonly number[] {
    const slot = this.#storedSlot(id)
    if (slot >= 0) return this.#stored!.numbersAt(slot, this.#known)
    const held = this.#held.get(id)
    if (held === undefined) return NOTHING
    if (held.entities === null) {
      const { listed, inText } = this.#namesOf(id)
      held.entities = numbersOf(this.#known, held.entry.project, [...listed, ...inText])
    }
    return held.entities
  }
}

/** True if the text was read and contained a changed name, or may contain one now. */
function isConcerned({ entry, inText }: HeldEntry, { keys, beginnings }: NameChange): boolean {
  return inText !== null && (inText.some((key) => keys.has(key)) || mayHold(entry.text, beginnings))
}

const NO_NAMES: MentionedNames = { listed: [], inText: [] }
const NOTHING: readonly number[] = []

type Walk = EntryWalk & {
  /** Number of entries that mention entities. */
  readonly entries: number
  readonly ids: () => string[]
}
