/** First line of a text, cut at a word where it is long. */
export function headline(text: string, most = 100): string {
  const line = text.trimStart().split("\n", 1)[0]!.trim()
  if (line.length <= most) return line
  const space = line.lastIndexOf(" ", most - 1)
  const cut = line.slice(0, space > most / 2 ? space : most - 1)
  return `${cut.toWellFormed() === cut ? cut : cut.slice(0, -1)}…`
}
