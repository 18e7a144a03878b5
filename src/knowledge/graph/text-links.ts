import { EntityNames } from "./entity-names.ts"
import type { FoundLinks, KeptLinks } from "./kept-links.ts"
import { type NameMatcher, nameMatcher } from "./name-matcher.ts"
import { namePatterns } from "./name-patterns.ts"
import { foldCase } from "./name-tokens.ts"

type Text = { readonly project: string | null; readonly text: string }
type LinkedText = Text & { keys: readonly string[] }

const NOBODY: readonly string[] = []

/** Which names stand in which texts, kept current as either changes: only what a change may concern is read again. */
export class TextLinks {
  readonly #texts = new Map<string, LinkedText>()
  #names = new EntityNames([])
  #signatures = new Map<string, string>()
  #keys: string[] = []
  /** Those keys that the matcher has, gone ones too. */
  readonly #matched = new Set<string>()
  #matcher: NameMatcher = nameMatcher()
  #read = 0

  /** Texts that were read, some of them again. */
  get read(): number {
    return this.#read
  }

  /** Begins with what was found under the names of then, in texts that are as they were; returns the ids of those. */
  restore({ signatures, keys }: KeptLinks, texts: Iterable<Text & { readonly id: string }>): string[] {
    this.#signatures = new Map(signatures)
    const restored: string[] = []
    for (const { id, project, text } of texts) {
      const known = keys(project, text)
      if (known === undefined) continue
      this.#texts.set(id, { project, text, keys: known })
      restored.push(id)
    }
    return restored
  }

  kept(): FoundLinks {
    return { signatures: this.#signatures, texts: this.#texts.values() }
  }

  put(id: string, project: string | null, text: string): void {
    this.#texts.set(id, { project, text, keys: this.#reads(text, project) })
  }

  remove(id: string): void {
    this.#texts.delete(id)
  }

  #reads(text: string, project: string | null): readonly string[] {
    this.#read++
    return this.inText(text, project)
  }

  /** The names in an entry's text, as names are compared. */
  of(id: string): readonly string[] {
    return this.#texts.get(id)?.keys ?? NOBODY
  }

  /** The same for any text. */
  inText(text: string, project: string | null): readonly string[] {
    const keys = this.#keys
    const found = this.#matcher.find(text, (id) => this.#names.findKey(keys[id]!, project) !== null)
    return found.length === 0 ? NOBODY : found.map((id) => keys[id]!)
  }

  setNames(names: EntityNames): void {
    const signatures = new Map([...names.keys()].map((key) => [key, names.signature(key)]))
    const changed = changedKeys(this.#signatures, signatures)
    const former = this.#names
    this.#names = names
    // Names that were restored are not in the matcher yet.
    const isKnown = this.#matched.size > 0 || this.#signatures.size === 0
    if (changed.size === 0 && isKnown) return
    this.#signatures = signatures
    const others = [...changed].filter((key) => signatures.has(key))
    // Names that are gone are seen by nobody; what the matcher knows otherwise has to be taken out of it.
    const isOtherwise = others.some((key) => this.#matched.has(key))
    if (!isKnown || isOtherwise || this.#matched.size > 2 * signatures.size) this.#knowAnew()
    else this.#know(others)
    if (this.#texts.size > 0 && changed.size > 0) this.#readAgain(changed, sought([names, former], changed))
  }

  #knowAnew(): void {
    this.#keys = []
    this.#matched.clear()
    this.#matcher = nameMatcher()
    this.#know(this.#signatures.keys())
  }

  #know(keys: Iterable<string>): void {
    for (const key of keys) {
      const id = this.#keys.push(key) - 1
      this.#matched.add(key)
      for (const name of this.#names.spellings(key)) this.#matcher.add(id, name)
    }
  }

  /** Texts that had one of the changed names, or may have one now. */
  #readAgain(changed: ReadonlySet<string>, beginnings: readonly string[] | null): void {
    for (const linked of this.#texts.values()) {
      const isConcerned = linked.keys.some((key) => changed.has(key)) || mayHold(linked.text, beginnings)
      if (isConcerned) linked.keys = this.#reads(linked.text, linked.project)
    }
  }
}

function changedKeys(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): Set<string> {
  const changed = [...before.keys(), ...now.keys()].filter((key) => before.get(key) !== now.get(key))
  return new Set(changed)
}

/** Of more, reading the text by the matcher costs no more. */
const MOST_SOUGHT = 10

/**
 * What texts with one of these names hold: the first tokens of all ways of writing them; null: too many to look for.
 */
function sought(all: readonly EntityNames[], keys: ReadonlySet<string>): string[] | null {
  if (keys.size > MOST_SOUGHT) return null
  const written = all.flatMap((names) => [...keys].flatMap((key) => names.spellings(key)))
  return [...new Set(written.flatMap(namePatterns).map((pattern) => pattern.tokens[0]!))]
}

/** False only where no name that begins so stands in the text. */
function mayHold(text: string, beginnings: readonly string[] | null): boolean {
  if (beginnings === null) return true
  const folded = foldCase(text.normalize("NFKC")).replaceAll("_", "")
  if (beginnings.some((beginning) => folded.includes(beginning))) return true
  // A name of nothing but underscores.
  return text.includes("_") && beginnings.some((beginning) => beginning.startsWith("_"))
}
