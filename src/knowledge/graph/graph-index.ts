import type { Entity, Relation } from "../entity.ts"
import type { Entry } from "../entry.ts"
import { comparable } from "../labels.ts"
import { EntityIndex } from "./entity-index.ts"
import { entryScores } from "./entry-scores.ts"
import { readLinks, writeLinks } from "./kept-links.ts"
import { type KnowledgeGraph, type KnownEntities, knowledgeGraph, withEntries } from "./knowledge-graph.ts"
import { TextLinks } from "./text-links.ts"
import { type EntryWalk, entryWalk } from "./walk-graph.ts"

export type GraphEntry = Pick<Entry, "id" | "project" | "text" | "entities" | "deletedAt">

/** What changed since the graph was last told. Purged: ids of any kind. */
export type GraphChanges = {
  readonly entries?: Iterable<GraphEntry>
  readonly entities?: Iterable<Entity>
  readonly relations?: Iterable<Relation>
  readonly purged?: Iterable<string>
}

/** Keeps the graph current: takes changes as they come, and works them in when it is next asked. */
export class GraphIndex {
  /** The living only. */
  readonly #entries = new Map<string, GraphEntry>()
  readonly #entities = new EntityIndex()
  readonly #links = new TextLinks()
  /** By entry: what it speaks of, by the numbers of the entities as they were known last. */
  readonly #mentions = new Map<string, readonly number[]>()
  /** Entries whose text is yet to be read. */
  readonly #unread = new Set<string>()
  #known: KnownEntities = this.#entities.known()
  #graph: KnowledgeGraph | null = null
  #walk: Walk | null = null
  /** Entries that changed since the graph was made, with what they spoke of then. */
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
   * Takes in all there is, and the names that were found in texts before from `kept`. Returns what is to be kept the
   * next time: null as long as that is about the same.
   */
  fill(changes: GraphChanges, kept: string | null): string | null {
    this.apply(changes)
    if (this.#entries.size < WORTH_KEEPING) return null
    const links = kept === null ? null : readLinks(kept)
    if (links !== null) {
      const adopted = this.#links.restore(links, this.#entries.values())
      for (const id of adopted) this.#unread.delete(id)
    }
    this.graph()
    const isWorth = this.#links.read >= Math.max(WORTH_KEEPING, this.#entries.size * SHARE_WORTH_KEEPING)
    return isWorth ? writeLinks(this.#links.kept()) : null
  }

  graph(): KnowledgeGraph {
    if (this.#graph === null || this.#entities.known() !== this.#known) this.#build()
    else if (this.#changed.size > 0) this.#workIn(this.#graph)
    return this.#graph!
  }

  /**
   * How near entries are to hits and to the entities that a question names; see entryScores. Empty where neither leads
   * into the graph.
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

  /** Entries that spoke of nothing are added where they do now; where one spoke of something else, all is made anew. */
  #workIn(graph: KnowledgeGraph): void {
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

  /** What an entry speaks of: numbers of entities. */
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
  /** Entries' numbers by id. */
  readonly entries: Map<string, number>
}

function walkOver(graph: KnowledgeGraph): Walk {
  return { edges: entryWalk(graph), entries: new Map(graph.entries.map((id, number) => [id, number])) }
}

/** Over the same graph with more entries: those from `from` on. */
function grown({ edges: walk, entries }: Walk, graph: KnowledgeGraph, from: number): Walk {
  const touched = new Set(graph.mentions.slice(from).flat())
  for (let entry = from; entry < graph.entries.length; entry++) entries.set(graph.entries[entry]!, entry)
  return { edges: entryWalk(graph, { walk, isSame: (entity) => !touched.has(entity) }), entries }
}

/** Fewer, or a smaller share of all, are read again sooner than all is written. */
const WORTH_KEEPING = 50
const SHARE_WORTH_KEEPING = 0.1

const NOTHING: readonly number[] = []

/** Of the entities so named; sorted. */
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
