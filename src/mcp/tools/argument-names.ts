/**
 * Names that agents guess for an argument, in the order in which they are tried. A guess is used only if the
 * tool has no argument of that name and the argument it stands for is not given.
 */
const GUESSES: readonly (readonly [argument: string, guesses: readonly string[]])[] = [
  ["query", ["q", "text", "task", "question", "search", "search_query", "keywords", "pattern", "prompt"]],
  ["name", ["symbol", "symbol_name", "identifier", "query", "q"]],
  ["what", ["path", "symbol", "name", "file", "file_path", "target", "query"]],
  ["text", ["content", "note", "fact", "memory", "message"]],
  ["path", ["file", "file_path", "filepath", "filename", "folder", "directory", "dir", "paths", "glob"]],
  ["source", ["file", "path", "location"]],
  ["limit", ["max_results", "num_results", "top_k", "k", "n", "count", "max"]],
  ["max_tokens", ["tokens", "token_budget", "budget"]],
  ["start_line", ["start", "line", "from", "offset"]],
  ["end_line", ["end", "to"]],
  ["language", ["lang", "languages"]],
  ["relation", ["action", "type"]],
  ["repository", ["repo"]],
  ["tags", ["tag"]],
  ["action", ["command", "operation"]],
]

/** The given arguments under the names the tool has; unset ones (null) are left out, unknown ones stay. */
export function understood(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const known = new Set(names)
  const taken = new Set(Object.keys(given).filter((name) => known.has(name)))
  const entries: [string, unknown][] = []
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue
    const meant = known.has(name) ? name : meantBy(snakeCase(name), known, taken)
    taken.add(meant ?? name)
    entries.push([meant ?? name, value])
  }
  // Object.fromEntries defines properties, so a key named __proto__ stays an unknown argument.
  return Object.fromEntries(entries)
}

function meantBy(name: string, known: ReadonlySet<string>, taken: ReadonlySet<string>): string | null {
  const isFree = (argument: string) => known.has(argument) && !taken.has(argument)
  if (isFree(name)) return name
  return GUESSES.find(([argument, guesses]) => isFree(argument) && guesses.includes(name))?.[0] ?? null
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
