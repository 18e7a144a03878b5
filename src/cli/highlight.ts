import type { ShjToken } from "@speed-highlight/core/tokenize"
import type { Colors } from "./output.ts"

type Shown = { readonly text: string; readonly language: string; readonly symbol: string | null }
type Style = (text: string) => string

/** The lines of a result's text: syntax in colour, its symbol and the words of the query standing out. */
export async function highlight(result: Shown, words: readonly string[], c: Colors): Promise<string[]> {
  if (!c.isColorSupported) return result.text.split("\n")
  const { tokenizeWith } = await import("@speed-highlight/core/tokenize")
  const { highlightGrammar } = await import("./highlight-grammars.ts")
  const grammar = await highlightGrammar(result.language)
  const lines = new Lines(wanted(result, words), c)
  if (grammar) tokenizeWith(result.text, grammar, (text, token) => lines.add(text, token))
  else lines.add(result.text)
  return lines.all
}

/** Tokens may span lines, and a colour must not: each line has to stand for itself. */
class Lines {
  readonly all: string[] = [""]
  readonly #wanted: RegExp | null
  readonly #colors: Colors

  constructor(wanted: RegExp | null, colors: Colors) {
    this.#wanted = wanted
    this.#colors = colors
  }

  add(text: string, token?: ShjToken): void {
    const style = styleOf(token, this.#colors)
    text.split("\n").forEach((part, index) => {
      if (index > 0) this.all.push("")
      if (part !== "") this.all[this.all.length - 1] += this.#emphasised(part, style)
    })
  }

  #emphasised(text: string, style: Style): string {
    if (!this.#wanted) return style(text)
    const { bold, underline } = this.#colors
    return style(text.replace(this.#wanted, (word) => bold(underline(word))))
  }
}

function styleOf(token: ShjToken | undefined, c: Colors): Style {
  switch (token) {
    case "kwd":
      return c.magenta
    case "str":
    case "insert":
      return c.green
    case "cmnt":
      return c.gray
    case "num":
    case "bool":
    case "esc":
      return c.yellow
    case "func":
    case "section":
      return c.blue
    case "class":
    case "type":
      return c.cyan
    case "deleted":
    case "err":
      return c.red
    default:
      return (text) => text
  }
}

function wanted({ symbol }: Shown, words: readonly string[]): RegExp | null {
  const name = symbol?.split(/[.:#]+/).at(-1)
  // Longest first, or "use" would win over "useEffect".
  const all = [...words, ...(name ? [name] : [])].sort((a, b) => b.length - a.length)
  return all.length === 0 ? null : new RegExp(all.map(escapePattern).join("|"), "giu")
}

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
}
