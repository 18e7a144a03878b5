import { comparable, tidyLabel } from "../labels.ts"
import { scopedKey } from "./settle-entities.ts"
import type { GraphEntity } from "./settled-graph.ts"

/** Who is meant by a name: of a project first its own, then what belongs to all; a name comes before an alias. */
export class EntityNames {
  readonly #named = new Map<string, GraphEntity>()
  readonly #aliased = new Map<string, GraphEntity>()
  /** By the name as names are compared: every scope and way of writing it. */
  readonly #spellings = new Map<string, string[]>()
  readonly #found = new Map<string | null, Map<string, GraphEntity | null>>()

  constructor(entities: Iterable<GraphEntity>) {
    for (const entity of entities) this.#add(entity)
  }

  #add(entity: GraphEntity): void {
    const { project, name, aliases } = entity
    this.#named.set(scopedKey(project, name), entity)
    for (const alias of aliases) {
      const key = scopedKey(project, alias)
      // Sorted by id they come: what two call their alias is the first one's.
      if (!this.#aliased.has(key)) this.#aliased.set(key, entity)
    }
    for (const written of [name, ...aliases]) this.#spell(project, written)
  }

  find(name: string, project: string | null): GraphEntity | null {
    return this.findKey(comparable(name), project)
  }

  /** By a name as names are compared; remembers, for a store asks the same of every text. */
  findKey(key: string, project: string | null): GraphEntity | null {
    const known = this.#found.get(project) ?? new Map<string, GraphEntity | null>()
    this.#found.set(project, known)
    const found = known.get(key)
    if (found !== undefined) return found
    const entity = this.#look(key, project)
    known.set(key, entity)
    return entity
  }

  keys(): Iterable<string> {
    return this.#spellings.keys()
  }

  /** The ways a name is written, without the scopes. */
  spellings(key: string): string[] {
    const scoped = this.#spellings.get(key) ?? []
    return [...new Set(scoped.map((one) => one.slice(one.indexOf("\n") + 1)))]
  }

  /** Where, and how, a name is written: equal as long as no text means another by it. */
  signature(key: string): string {
    const scoped = this.#spellings.get(key) ?? []
    return scoped.length === 1 ? scoped[0]! : scoped.toSorted().join("\t")
  }

  #look(key: string, project: string | null): GraphEntity | null {
    const own = project === null ? null : this.#inScope(`${project}\n${key}`)
    return own ?? this.#inScope(`\n${key}`)
  }

  #inScope(scoped: string): GraphEntity | null {
    return this.#named.get(scoped) ?? this.#aliased.get(scoped) ?? null
  }

  #spell(project: string | null, name: string): void {
    const key = comparable(name)
    const written = `${project ?? ""}\n${tidyLabel(name)}`
    const known = this.#spellings.get(key)
    if (known === undefined) this.#spellings.set(key, [written])
    else if (!known.includes(written)) known.push(written)
  }
}
