const FAMILIES: Readonly<Record<string, string>> = {
  javascript: "js",
  typescript: "js",
  tsx: "js",
  vue: "js",
  svelte: "js",
  html: "js",
  c: "c",
  cpp: "c",
  "objective-c": "c",
  java: "jvm",
  kotlin: "jvm",
  scala: "jvm",
}

/** Languages whose code names each other's definitions. */
export function familyOf(language: string): string {
  return FAMILIES[language] ?? language
}

/** Where a name of another file has to be imported by its name before it stands alone. */
export function importsNames(family: string): boolean {
  return family === "js" || family === "python" || family === "rust"
}

/** Where a method is called without what it belongs to. */
export function hasImplicitThis(family: string): boolean {
  return IMPLICIT_THIS.has(family)
}

const IMPLICIT_THIS: ReadonlySet<string> = new Set([
  "jvm",
  "c",
  "csharp",
  "ruby",
  "swift",
  "dart",
  "elixir",
  "julia",
  "solidity",
])

/** Where a method is called by what it belongs to, and never by its name alone. */
export function namesOwners(family: string): boolean {
  return NAMED_OWNERS.has(family)
}

const NAMED_OWNERS: ReadonlySet<string> = new Set(["js", "python", "rust", "go", "php", "lua", "zig"])

/** Where files of one folder see each other's names. */
export function sharesFolder(family: string): boolean {
  return ONE_FOLDER.has(family)
}

const ONE_FOLDER: ReadonlySet<string> = new Set(["go", "jvm", "swift", "csharp", "php", "dart", "terraform"])
