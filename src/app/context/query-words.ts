import { termOf } from "../../text/terms/abbreviations.ts"
import { words } from "../../text/terms/identifiers.ts"
import { type QueryWord, queryTerms } from "../../text/terms/query-terms.ts"
import { isFunctionWord } from "../../text/terms/stop-words.ts"

const MAX_SHOWN = 4

/** Compares a task's words with lines of code: by their stems, with names split into words. */
export class QueryWords {
  readonly #words = new Map<string, string>()
  /** Results of `in` by text. They are cached, because the same place is rendered in several lengths. */
  readonly #matchesByText = new Map<string, ReadonlySet<string>>()

  constructor(query: string) {
    const all = queryTerms(query)
    const significant = all.filter(({ word }) => !isFunctionWord(word) && word !== "not")
    for (const each of significant.length === 0 ? all : significant) {
      for (const form of formsOf(each)) if (!this.#words.has(form)) this.#words.set(form, each.word)
    }
  }

  /** The words that occur in a text, as written in the query. */
  in(text: string): ReadonlySet<string> {
    const cached = this.#matchesByText.get(text)
    if (cached) return cached
    const matches = new Set<string>()
    for (const part of words(text)) {
      const word = this.#words.get(termOf(part))
      if (word !== undefined) matches.add(word)
    }
    this.#matchesByText.set(text, matches)
    return matches
  }

  /**
   * The reason why a piece of code is shown, as text: the name it defines, the words it contains, or its similar
   * meaning.
   */
  why(text: string, name: string | null, as = "defines"): string {
    const named = name !== null && this.in(name).size > 0
    const others = [...this.in(text)].filter((word) => !named || !this.in(name).has(word))
    const matches = others.length === 0 ? [] : [`matches ${others.slice(0, MAX_SHOWN).join(", ")}`]
    const reasons = [...(named ? [`${as} ${name}`] : []), ...matches]
    return reasons.length === 0 ? "near in meaning" : reasons.join("; ")
  }
}

/**
 * The forms of a word of the query. A number inside a name, such as the 20 of ERC20, counts only together with the rest
 * of the name.
 */
function formsOf({ word, forms }: QueryWord): readonly string[] {
  return forms.length > 1 && /^\p{N}+$/u.test(word) ? forms.slice(1) : forms
}
