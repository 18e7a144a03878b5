/** Names by which a text can give its answer away. */
export type AnswerNames = { readonly paths: readonly string[]; readonly identifiers: readonly string[] }

/**
 * The text without the names of the answer: paths, file names, stems, and identifiers of changed definitions. A name
 * that is also an ordinary word is taken out only where it is written as code.
 */
export function hideAnswer(text: string, { paths, identifiers }: AnswerNames): string {
  let hidden = text
  for (const path of paths) {
    const file = path.slice(path.lastIndexOf("/") + 1)
    const stem = file.replace(/\.[^.]*$/u, "")
    for (const name of [path, file]) hidden = hidden.replaceAll(name, " ")
    hidden = hideIdentifier(hidden, stem, isCompound(stem) || stem.includes("-"))
  }
  const longestFirst = identifiers.toSorted((a, b) => b.length - a.length)
  for (const identifier of longestFirst) hidden = hideIdentifier(hidden, identifier, isCompound(identifier))
  return hidden
    .replace(/``|` +`/gu, " ")
    .replace(/[ \t]{2,}/gu, " ")
    .trim()
}

function hideIdentifier(text: string, name: string, compound: boolean): string {
  // Most names do not occur: a file can define thousands.
  if (name.length < 2 || !text.toLowerCase().includes(name.toLowerCase())) return text
  const literal = name.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&")
  const pattern = compound
    ? new RegExp(`(?<![\\w$])${literal}(?![\\w$])(?:\\(\\))?`, "giu")
    : new RegExp(
        "`" +
          literal +
          "`|(?<![\\w$])" +
          literal +
          "\\(\\)?|(?<=[.:#/>])" +
          literal +
          "(?![\\w$])|^" +
          literal +
          "(?=:)",
        "gmu",
      )
  return text.replace(pattern, " ")
}

/** True for names that no prose contains by chance: camelCase, snake_case, dotted, with digits. */
export function isCompound(name: string): boolean {
  return /[a-z][A-Z]|[A-Z]{2,}[a-z]|\w[_.]\w|[A-Za-z]\d/u.test(name)
}
