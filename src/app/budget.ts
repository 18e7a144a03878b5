import { CHARACTERS_PER_TOKEN } from "../text/token-count.ts"

// Of each text at least this is shown, but no line that is a whole file.
const LEAST_CHARACTERS = 200

export type Cut = { readonly text: string; readonly lines: number; readonly isWhole: boolean }

/** Text for a model is paid by the token; a budget is spent from the first result to the last. */
export class Budget {
  #characters: number

  constructor(tokens: number) {
    this.#characters = Math.floor(tokens * CHARACTERS_PER_TOKEN)
  }

  /** As many whole lines from the top as are left to spend; the first always, if need be its beginning. */
  take(text: string): Cut {
    const first = text.split("\n", 1)[0]!
    const most = Math.max(LEAST_CHARACTERS, this.#characters)
    if (first.length > most) {
      this.#characters = 0
      return { text: `${first.slice(0, most)}…\n`, lines: 1, isWhole: false }
    }
    const lines = text.split("\n")
    if (lines.at(-1) === "") lines.pop()
    let used = 0
    let kept = 0
    for (const line of lines) {
      if (kept > 0 && used + line.length + 1 > this.#characters) break
      used += line.length + 1
      kept++
    }
    this.#characters = Math.max(0, this.#characters - used)
    const isWhole = kept === lines.length
    return { text: isWhole ? text : `${lines.slice(0, kept).join("\n")}\n`, lines: kept, isWhole }
  }
}
