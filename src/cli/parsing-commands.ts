/** Commands that may have to parse a project: all that make or refresh its index. */
export const PARSING: ReadonlySet<string> = new Set([
  "index",
  "search",
  "context",
  "symbol",
  "map",
  "serve",
  "repos",
])
