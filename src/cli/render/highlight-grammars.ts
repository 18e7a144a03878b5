import type { ShjLanguageData } from "@speed-highlight/core/tokenize"

// The package types its exports as plain objects, wider than its own grammar type.
type LoadGrammar = () => Promise<{ readonly default: unknown }>

const C: LoadGrammar = () => import("@speed-highlight/core/languages/c.js")
const JAVA: LoadGrammar = () => import("@speed-highlight/core/languages/java.js")
const SCRIPT: LoadGrammar = () => import("@speed-highlight/core/languages/js.js")
const TYPED: LoadGrammar = () => import("@speed-highlight/core/languages/ts.js")
const PYTHON: LoadGrammar = () => import("@speed-highlight/core/languages/py.js")
const SHELL: LoadGrammar = () => import("@speed-highlight/core/languages/bash.js")
const MARKUP: LoadGrammar = () => import("@speed-highlight/core/languages/html.js")

// Languages without a grammar of their own use that of a related language, which highlights comments, strings, calls
// and most keywords correctly.
const GRAMMARS: ReadonlyMap<string, LoadGrammar> = new Map<string, LoadGrammar>([
  ["bash", SHELL],
  ["fish", SHELL],
  ["c", C],
  ["cpp", C],
  ["objective-c", C],
  ["shader", C],
  ["csharp", JAVA],
  ["dart", JAVA],
  ["groovy", JAVA],
  ["java", JAVA],
  ["kotlin", JAVA],
  ["scala", JAVA],
  ["solidity", TYPED],
  ["swift", TYPED],
  ["typescript", TYPED],
  ["tsx", TYPED],
  ["javascript", SCRIPT],
  ["php", SCRIPT],
  ["python", PYTHON],
  ["ruby", PYTHON],
  ["elixir", PYTHON],
  ["julia", PYTHON],
  ["nim", PYTHON],
  ["zig", () => import("@speed-highlight/core/languages/rs.js")],
  ["rust", () => import("@speed-highlight/core/languages/rs.js")],
  ["go", () => import("@speed-highlight/core/languages/go.js")],
  ["lua", () => import("@speed-highlight/core/languages/lua.js")],
  ["perl", () => import("@speed-highlight/core/languages/pl.js")],
  ["sql", () => import("@speed-highlight/core/languages/sql.js")],
  ["css", () => import("@speed-highlight/core/languages/css.js")],
  ["scss", () => import("@speed-highlight/core/languages/css.js")],
  ["html", MARKUP],
  ["vue", MARKUP],
  ["svelte", MARKUP],
  ["astro", MARKUP],
  ["xml", () => import("@speed-highlight/core/languages/xml.js")],
  ["markdown", () => import("@speed-highlight/core/languages/md.js")],
  ["json", () => import("@speed-highlight/core/languages/json.js")],
  ["yaml", () => import("@speed-highlight/core/languages/yaml.js")],
  ["toml", () => import("@speed-highlight/core/languages/toml.js")],
  ["ini", () => import("@speed-highlight/core/languages/ini.js")],
  ["diff", () => import("@speed-highlight/core/languages/diff.js")],
  ["dockerfile", () => import("@speed-highlight/core/languages/docker.js")],
  ["makefile", () => import("@speed-highlight/core/languages/make.js")],
  ["assembly", () => import("@speed-highlight/core/languages/asm.js")],
])

/** The highlighter's grammar for a language id; undefined if it is shown without syntax colours. */
export async function highlightGrammar(language: string): Promise<ShjLanguageData | undefined> {
  return (await GRAMMARS.get(language)?.())?.default as ShjLanguageData | undefined
}
