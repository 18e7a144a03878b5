import type { Statement } from "./statement.ts"

/**
 * True when two statements are about different places in code: "src/a.ts#load returns null" and "src/b.ts#save returns
 * null", "A stub is left in src/a.ts#load" and "… in src/b.ts#save". A place at the end is otherwise what a statement
 * says, not what it is about: "The entry point is src/main.ts#run". A symbol of the same name in another file may have
 * moved, unless the statements are equal but for the file.
 */
export function isAboutOtherCode(older: Statement, newer: Statement): boolean {
  const [a, b] = [codeSubject(older.sentence), codeSubject(newer.sentence)]
  if (a === null || b === null || (newer.replaces && !older.replaces)) return false
  if (a.path === b.path) return a.symbol !== b.symbol && a.symbol !== "" && b.symbol !== ""
  return a.symbol !== b.symbol || a.symbol === "" || a.rest === b.rest
}

type CodeSubject = { readonly path: string; readonly symbol: string; readonly rest: string }

function codeSubject(sentence: string): CodeSubject | null {
  const match = AT_BEGINNING.exec(sentence) ?? AFTER_ARTICLE.exec(sentence)
  if (match === null) return null
  const { before = "", path = "", symbol = "", after = "" } = match.groups!
  const isPlace = path.includes("/") || symbol !== ""
  return isPlace && !TAKES_A_PLACE.test(before) ? { path, symbol, rest: `${before} ${after}` } : null
}

const PLACE = String.raw`[\x60"'(]{0,2}(?<path>(?:[\w@.+-]{1,80}\/){0,20}[\w@.+-]{1,80}\.[A-Za-z]\w{0,7})(?:#(?<symbol>[\w.$:-]{0,80}[\w$]))?[\x60"')]{0,2}`

/** A place after up to three words and before at least two. */
const AT_BEGINNING = new RegExp(
  String.raw`^(?<before>(?:[^\s#/]{1,40}\s{1,3}){0,3}?)${PLACE}[:,]?\s{1,3}(?<after>\S+\s[\s\S]*\S)`,
)

/** A place at the end of a sentence about one of several things. */
const AFTER_ARTICLE = new RegExp(
  String.raw`^(?<before>(?:an?|another|one|stub|todo|fixme)\s(?:[^\s#/]{1,40}\s{1,3}){0,9}?)${PLACE}[.!]?$`,
  "i",
)

/** Matches the end of a text after which a place is what the statement says: "Use src/a.ts#load for settings". */
const TAKES_A_PLACE =
  /(?:^|\s)(?:use|uses|using|see|call|calls|calling|import|imports|run|runs|running|read|reads|edit|prefer|load|loads|open|extend|copy|move|moved|from|with|to|into|by|via|through|is|are|was)\s+$/i
