import { compoundOf, termOf } from "../text/abbreviations.ts"
import { words } from "../text/identifiers.ts"

// Folders that say how a project is laid out, not what it is called.
const LAYOUT = new Set(
  "src lib core packages package main java scala kotlin shared common source sources org com http json server utils client modules include app apps internal pkg home users projects code work workspace repos git github tmp".split(
    " ",
  ),
)

/** The root's own name and the folders above it that a checkout may be named by. */
const NAMED_BY = 3

/** Terms of what the project is called, by the path of its root. */
export function projectTerms(root: string): Set<string> {
  const names = root
    .split(/[\\/]/u)
    .filter((part) => part !== "")
    .slice(-NAMED_BY)
  const telling = names.flatMap(words).filter((word) => word.length > 2 && !LAYOUT.has(word))
  return new Set([...telling.map(termOf), ...names.filter((name) => !LAYOUT.has(name)).map(compoundOf)])
}
