/** Names by which a text can give its answer away. */
export type AnswerNames = { readonly paths: readonly string[]; readonly identifiers: readonly string[] }

/**
 * The text without names that give the answer away: paths, file names, stems, and identifiers of changed
 * definitions. A name that is also an ordinary word is removed only where it is written as code.
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
  // Fast path, because a file can define thousands of names, and most of them do not occur.
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

/** True for names that do not occur in prose by chance: camelCase, snake_case, with dots or digits. */
export function isCompound(name: string): boolean {
  return /[a-z][A-Z]|[A-Z]{2,}[a-z]|\w[_.]\w|[A-Za-z]\d/u.test(name)
}
