import { nameKey, tidyName } from "./name-key.ts"
import { scopedKey } from "./settle-entities.ts"
import type { Entity } from "./settled-graph.ts"

/** Who is meant by a name: of a project first its own, then what belongs to all; a name comes before an alias. */
export class EntityNames {
  readonly #named = new Map<string, Entity>()
  readonly #aliased = new Map<string, Entity>()
  /** By the name as names are compared: every scope and way of writing it. */
  readonly #spellings = new Map<string, Set<string>>()

  readonly #found = new Map<string | null, Map<string, Entity | null>>()

  constructor(entities: Iterable<Entity>) {
    for (const entity of entities) this.#add(entity)
  }

  #add(entity: Entity): void {
    const { project, name, aliases } = entity
    this.#named.set(scopedKey(project, name), entity)
    for (const alias of aliases) {
      const key = scopedKey(project, alias)
      // Sorted by id they come: what two call their alias is the first one's.
      if (!this.#aliased.has(key)) this.#aliased.set(key, entity)
    }
    for (const written of [name, ...aliases]) this.#spell(project, written)
  }

  find(name: string, project: string | null): Entity | null {
    return this.findKey(nameKey(name), project)
  }

  /** By a name as names are compared; remembers, for a store asks the same of every text. */
  findKey(key: string, project: string | null): Entity | null {
    const known = this.#found.get(project) ?? new Map<string, Entity | null>()
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
    return [
      ...new Set(
        [...(this.#spellings.get(key) ?? [])].map((scoped) => scoped.slice(scoped.indexOf("\n") + 1)),
      ),
    ]
  }

  /** Where, and how, a name is written: equal as long as no text means another by it. */
  signature(key: string): string {
    return [...(this.#spellings.get(key) ?? [])].sort().join("\t")
  }

  #look(key: string, project: string | null): Entity | null {
    const own = project === null ? null : this.#inScope(`${project}\n${key}`)
    return own ?? this.#inScope(`\n${key}`)
  }

  #inScope(scoped: string): Entity | null {
    return this.#named.get(scoped) ?? this.#aliased.get(scoped) ?? null
  }

  #spell(project: string | null, name: string): void {
    const key = nameKey(name)
    const known = this.#spellings.get(key) ?? new Set()
    this.#spellings.set(key, known.add(`${project ?? ""}\n${tidyName(name)}`))
  }
}
