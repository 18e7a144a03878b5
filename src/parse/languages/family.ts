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
  groovy: "jvm",
  clojure: "jvm",
  "fsharp-signature": "fsharp",
}

/**
 * The family that a language belongs to. The code of all languages in one family can refer to each other's definitions.
 */
export function familyOf(language: string): string {
  return FAMILIES[language] ?? language
}

/** True if code must import a name of another file before it can use the name alone, without a module. */
export function importsNames(family: string): boolean {
  return family === "js" || family === "python" || family === "rust"
}

/** True if a method can call another method of its object by the name alone, without `this`. */
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
  "fsharp",
  "verilog",
])

/** True if a method is always called on its object or type, never by its name alone. */
export function namesOwners(family: string): boolean {
  return NAMED_OWNERS.has(family)
}

const NAMED_OWNERS: ReadonlySet<string> = new Set(["js", "python", "rust", "go", "php", "lua", "zig"])

/** True if files of one folder see each other's names. */
export function sharesFolder(family: string): boolean {
  return ONE_FOLDER.has(family)
}

const ONE_FOLDER: ReadonlySet<string> = new Set(["go", "jvm", "swift", "csharp", "php", "dart", "terraform"])
