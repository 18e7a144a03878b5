import { comparable, tidyLabel } from "../../entries/labels.ts"
import type { GraphEntity } from "../settle-entities.ts"
import { scopedKey } from "../settle-entities.ts"

/**
 * Resolves names to entities: a project's own entity takes precedence over one without a project, a name over an
 * alias.
 */
export class EntityNames {
  readonly #named = new Map<string, GraphEntity>()
  readonly #aliased = new Map<string, GraphEntity>()
  /** All scopes and spellings of a name, by its normalised form. */
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
      // Entities come sorted by id: if two have the same alias, the first one gets it.
      if (!this.#aliased.has(key)) this.#aliased.set(key, entity)
    }
    for (const written of [name, ...aliases]) this.#spell(project, written)
  }

  find(name: string, project: string | null): GraphEntity | null {
    return this.findKey(comparable(name), project)
  }

  /** The entity for a normalised name; cached, because the same names are looked up for every text. */
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

  /** The spellings of a name, without scopes. */
  spellings(key: string): string[] {
    const scoped = this.#spellings.get(key) ?? []
    return [...new Set(scoped.map((one) => one.slice(one.indexOf("\n") + 1)))]
  }

  /**
   * A string of the scopes and spellings of a name. While it is unchanged, no text's mentions of the name
   * change.
   */
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
