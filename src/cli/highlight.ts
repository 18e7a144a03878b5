import type { Colors } from "./output.ts"

/** The lines of a result's text, its symbol and the words of the query made visible. */
export function highlight(
  result: { readonly text: string; readonly symbol: string | null },
  words: readonly string[],
  c: Colors,
): string[] {
  const lines = result.text.split("\n")
  const name = result.symbol?.split(/[.:#]+/).at(-1)
  const wanted = [...words, ...(name ? [name] : [])]
  if (!c.isColorSupported || wanted.length === 0) return lines
  // Longest first, or "use" would win over "useEffect".
  const pattern = wanted
    .sort((a, b) => b.length - a.length)
    .map(escapePattern)
    .join("|")
  const match = new RegExp(pattern, "giu")
  return lines.map((line) =>
    line.replace(match, (word) => c.bold(word === name ? c.cyan(word) : c.yellow(word))),
  )
}

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
}
