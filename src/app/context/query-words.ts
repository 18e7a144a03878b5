import { termOf } from "../../text/terms/abbreviations.ts"
import { words } from "../../text/terms/identifiers.ts"
import { type QueryWord, queryTerms } from "../../text/terms/query-terms.ts"
import { isFunctionWord } from "../../text/terms/stop-words.ts"

const MAX_TOLD = 4

/** The words of a task as lines of code are compared with them: by their stems, names split. */
export class QueryWords {
  readonly #words = new Map<string, string>()
  /** Of texts that were looked at: the same place is told in several lengths. */
  readonly #known = new Map<string, ReadonlySet<string>>()

  constructor(query: string) {
    const all = queryTerms(query)
    const telling = all.filter(({ word }) => !isFunctionWord(word) && word !== "not")
    for (const each of telling.length === 0 ? all : telling) {
      for (const form of formsOf(each)) if (!this.#words.has(form)) this.#words.set(form, each.word)
    }
  }

  /** Those that occur, as the query has them. */
  in(text: string): ReadonlySet<string> {
    const known = this.#known.get(text)
    if (known) return known
    const found = new Set<string>()
    for (const part of words(text)) {
      const word = this.#words.get(termOf(part))
      if (word !== undefined) found.add(word)
    }
    this.#known.set(text, found)
    return found
  }

  /** Why some code is there: by what it defines, by the words it holds, or by its meaning. */
  why(text: string, name: string | null, as = "defines"): string {
    const named = name !== null && this.in(name).size > 0
    const others = [...this.in(text)].filter((word) => !named || !this.in(name).has(word))
    const matches = others.length === 0 ? [] : [`matches ${others.slice(0, MAX_TOLD).join(", ")}`]
    const reasons = [...(named ? [`${as} ${name}`] : []), ...matches]
    return reasons.length === 0 ? "near in meaning" : reasons.join("; ")
  }
}

/** The 20 of ERC20 is meant with the rest of the name only. */
function formsOf({ word, forms }: QueryWord): readonly string[] {
  return forms.length > 1 && /^\p{N}+$/u.test(word) ? forms.slice(1) : forms
}
