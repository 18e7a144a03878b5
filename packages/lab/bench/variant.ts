/**
 * Makes copies of source files that differ from the originals: a third of the compound identifiers get one more
 * word, the same in all files of a variant. Simple words, among them keywords, stay, so that the file parses as
 * before.
 */
export class Variant {
  readonly #seed: number
  readonly #renamed = new Map<string, string>()

  constructor(seed: number) {
    this.#seed = seed
  }

  text(source: string): string {
    return source.replace(COMPOUND, (name) => this.#identifier(name))
  }

  /** Path of a file in the variant's folder; half of the file names get one more word. */
  path(path: string): string {
    const at = path.lastIndexOf("/") + 1
    const [stem, ...extensions] = path.slice(at).split(".")
    const named = this.#hash(path) % 2 === 0 ? `${stem}_${this.#word(path)}` : stem
    return `${this.#word("")}-${this.#seed}/${path.slice(0, at)}${[named, ...extensions].join(".")}`
  }

  #identifier(name: string): string {
    const known = this.#renamed.get(name)
    if (known !== undefined) return known
    const renamed = this.#hash(name) % 3 === 0 && !KEYWORDS.has(name) ? this.#longer(name) : name
    this.#renamed.set(name, renamed)
    return renamed
  }

  #longer(name: string): string {
    const word = this.#word(name)
    if (!name.includes("_")) return name + word[0]!.toUpperCase() + word.slice(1)
    return `${name}_${name === name.toUpperCase() ? word.toUpperCase() : word}`
  }

  /** One of 4,096 words of this variant, chosen by the hash of the text `of`. */
  #word(of: string): string {
    const number = this.#hash(`${of} word`) % 4096
    const syllables = [(number >> 8) & 15, (number >> 4) & 15, number & 15, this.#seed & 15]
    return syllables.map((syllable) => SYLLABLES[syllable]).join("")
  }

  #hash(text: string): number {
    return Number(Bun.hash.xxHash32(text, this.#seed))
  }
}

// snake_case, camelCase and PascalCase. Names that begin with "_" are not changed (__init__, __declspec).
const COMPOUND = /\b[a-zA-Z]+(?:_[a-zA-Z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b/gu
const KEYWORDS = new Set(
  (
    "static_cast const_cast dynamic_cast reinterpret_cast static_assert thread_local co_await co_return " +
    "co_yield char8_t char16_t char32_t wchar_t"
  ).split(" "),
)
const SYLLABLES = "ba de fi go hu ka le mi no pu ra se ti vo wu za".split(" ")
