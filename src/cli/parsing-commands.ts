/** Commands that may parse a project because they build or refresh its index. */
export const PARSING: ReadonlySet<string> = new Set([
  "index",
  "search",
  "context",
  "symbol",
  "map",
  "serve",
  "repos",
  "log",
  "team",
  "ui",
])
