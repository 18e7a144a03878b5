import type * as TreeSitter from "web-tree-sitter"
import { grammarPaths } from "../../../grammars/assets.ts"
import manifest from "../../../grammars/manifest.json" with { type: "json" }
import { grammarBytes, moduleOf, startRuntime } from "../file/syntax-tree.ts"
import { type GrammarPack, installedPacks, packFile, packKey, packsStamp } from "./grammar-packs.ts"

export { grammarBytes }

export type ContentKind = "code" | "docs" | "data"

/** One entry of grammars/manifest.json. */
export type Language = {
  readonly id: string
  readonly kind: ContentKind
  /** True if each file of the language is a component named like the file. */
  readonly isComponent: boolean
  /** Key of the grammar; null if there is none. The file is then cut by rules or lines, or as Markdown. */
  readonly grammar: string | null
}

export type Grammar = {
  readonly language: TreeSitter.Language
  readonly query: TreeSitter.Query
  /** True if files of the language contain other languages, as an HTML page contains scripts and styles. */
  readonly holdsOthers: boolean
  /**
   * The text that the grammar cannot parse, such as preprocessor lines, and what the file is then parsed again with in
   * its place: nothing, or a separator. Null if there is none.
   */
  readonly stumbles: Rewrite | null
  /** Macros that the grammar does not know, with the text that is parsed in their place. */
  readonly rewrites: readonly Rewrite[]
  /** True if the language has `#if`, so that a branch may open brackets that it does not close. */
  readonly hasConditions: boolean
}

/** Replacement of the text that `pattern` matches. Blanks are added until the length is the same. */
type Rewrite = { readonly pattern: RegExp; readonly as: string }

/** Decides between languages that have the same extension, by a pattern in the text. */
type Sniff = { readonly language: Language; readonly pattern: RegExp }

// PLAIN_TEXT is the language of a file without an extension, such as "NOTES", which counts as a document. UNKNOWN_TEXT
// is that of a file with an unknown extension, such as "deps.tl", which counts neither as code nor as prose.
const PLAIN_TEXT: Language = { id: "text", kind: "docs", isComponent: false, grammar: null }
const UNKNOWN_TEXT: Language = { ...PLAIN_TEXT, kind: "data" }

// Number of characters that are searched for signs of C++ in a file that could also be C; more than a licence header
// has.
const SNIFF_CHARS = 65_536

const byId = new Map<string, Language>()
const byExtension = new Map<string, Language>()
const byFileName = new Map<string, Language>()
const byInterpreter = new Map<string, Language>()
const sniffs = new Map<string, Sniff[]>()
const stumbles = new Map<string, Rewrite>()
const rewrites = new Map<string, readonly Rewrite[]>()
const grammars = new Map<string, Promise<Grammar>>()

/** State of the packs folder (see `packsStamp`) for which the maps above are filled. */
let packsAt = Number.NaN
let packs: readonly GrammarPack[] = []

refreshGrammarPacks()

/**
 * Reads the grammars that the user has added, if the packs folder has changed since the last call. A long-running
 * process calls it before it indexes, because another process may have added a grammar.
 */
export function refreshGrammarPacks(): void {
  const stamp = packsStamp()
  if (stamp === packsAt) return
  packsAt = stamp
  packs = stamp === 0 ? [] : installedPacks().packs
  for (const map of [byId, byExtension, byFileName, byInterpreter, sniffs]) map.clear()
  for (const entry of manifest.languages) register(entry, entry.grammar ? entry.id : null)
  for (const pack of packs) register(pack, packKey(pack))
}

/** The languages whose grammar the user has added, with the version of each: "talon@0123456789abcdef". */
export function grammarPackVersions(): string[] {
  return packs.map(({ id, version }) => `${id}@${version}`)
}

/**
 * The language of a file, determined by its name; else by its `#!` line; else by a modeline; else by the part of the
 * name before the dot (`Dockerfile.dev`); else "text". `text` is the text of the file or its beginning: one line
 * suffices for `#!`, more is needed to distinguish a C++ header from a C header.
 */
export function languageOf(path: string, text: string): Language {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return (
    byFileName.get(name) ??
    languageOfExtension(name, text) ??
    languageOfShebang(text) ??
    languageOfModeline(text) ??
    byFileName.get(name.split(".", 1)[0] ?? "") ??
    (name.includes(".") || text.startsWith("#!") ? UNKNOWN_TEXT : PLAIN_TEXT)
  )
}

/** The language with this id, alias or extension (go, golang, ts); null if there is none. */
export function languageNamed(name: string): Language | null {
  const wanted = name.toLowerCase().replace(/^\./, "")
  return byId.get(wanted) ?? byExtension.get(wanted) ?? null
}

export function allLanguages(): readonly Language[] {
  return [...byId.values()]
}

export function contentKindOf(language: Language): ContentKind {
  return language.kind
}

/**
 * Loads the grammar and its definitions query on first use, and keeps them in memory; null if the language has no
 * grammar.
 */
export async function loadGrammar(language: Language): Promise<Grammar | null> {
  const id = language.grammar
  if (id === null) return null
  let loading = grammars.get(id)
  if (!loading) {
    loading = readGrammar(id)
    grammars.set(id, loading)
  }
  return loading
}

type LanguageEntry = {
  readonly id: string
  readonly kind: string
  readonly extensions: readonly string[]
  readonly aliases?: readonly string[]
  readonly files?: readonly string[]
  readonly interpreters?: readonly string[]
  readonly component?: boolean
  readonly sniff?: { readonly extensions: readonly string[]; readonly pattern: string }
  readonly stumbles?: string
  readonly stumblesAs?: string
  readonly rewrites?: readonly { readonly pattern: string; readonly as: string }[]
}

/** Registers a language. `grammar` is the key of its grammar; null if it has none. */
function register(entry: LanguageEntry, grammar: string | null): void {
  const language: Language = {
    id: entry.id,
    kind: entry.kind as ContentKind,
    isComponent: entry.component ?? false,
    grammar,
  }
  for (const name of [entry.id, ...(entry.aliases ?? [])]) byId.set(name, language)
  for (const extension of entry.extensions) byExtension.set(extension, language)
  for (const name of entry.files ?? []) byFileName.set(name, language)
  for (const name of entry.interpreters ?? []) byInterpreter.set(name, language)
  if (entry.stumbles) {
    stumbles.set(entry.id, { pattern: new RegExp(entry.stumbles, "gm"), as: entry.stumblesAs ?? "" })
  }
  if (entry.rewrites) {
    rewrites.set(
      entry.id,
      entry.rewrites.map(({ pattern, as }) => ({ pattern: new RegExp(pattern, "gm"), as })),
    )
  }
  for (const extension of entry.sniff?.extensions ?? []) {
    const sniff = { language, pattern: new RegExp(entry.sniff?.pattern ?? "", "m") }
    sniffs.set(extension, [...(sniffs.get(extension) ?? []), sniff])
  }
}

/** The language by the longest extension that is known: `.d.ts` is tried before `.ts`. */
function languageOfExtension(name: string, text: string): Language | undefined {
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    const extension = name.slice(dot + 1).toLowerCase()
    const head = text.slice(0, SNIFF_CHARS)
    const sniffed = sniffs.get(extension)?.find(({ pattern }) => pattern.test(head))
    if (sniffed) return sniffed.language
    const language = byExtension.get(extension)
    if (language) return language
  }
  return undefined
}

/**
 * The language that a `#!` line names. It is found by the base name of the program without its version: `#!/usr/bin/env
 * -S python3.12 -u` means python.
 */
function languageOfShebang(text: string): Language | undefined {
  if (!text.startsWith("#!")) return undefined
  const end = text.indexOf("\n")
  const words = text
    .slice(2, Math.min(end < 0 ? text.length : end, 300))
    .trim()
    .split(/\s+/)
  const program = words.map((word) => word.slice(word.lastIndexOf("/") + 1)).find(isProgram) ?? ""
  return byInterpreter.get(program) ?? byInterpreter.get(program.replace(/[\d.]+$/, ""))
}

function languageOfModeline(text: string): Language | undefined {
  const name = modelineLanguage(text)
  return name === null ? undefined : (languageNamed(name) ?? undefined)
}

function isProgram(word: string): boolean {
  return word !== "env" && !word.startsWith("-") && !word.includes("=")
}

async function readGrammar(id: string): Promise<Grammar> {
  const path = packFile(id, "query") ?? grammarPaths[id]?.query
  if (path === undefined) throw new Error(`grammars/assets.ts lacks ${id}: run scripts/grammars.ts`)
  const [{ Language, Query }, module, source] = await Promise.all([
    startRuntime(),
    moduleOf(id),
    Bun.file(path).text(),
  ])
  const language = Language.loadSync(module)
  const query = new Query(language, source)
  return {
    language,
    query,
    holdsOthers: query.captureNames.includes("embedded"),
    stumbles: stumbles.get(id) ?? null,
    rewrites: rewrites.get(id) ?? [],
    hasConditions: CONDITIONAL.has(id),
  }
}

/** Languages that have the conditional compilation of C. */
const CONDITIONAL: ReadonlySet<string> = new Set(["c", "cpp", "objective-c"])

const SEARCHED_LINES = 5
/** Maximum length of a modeline in characters; a longer line is data. */
const MAX_LINE_CHARS = 300
const MAX_EDGE_CHARS = 4000

const VIM = /(?:^|\s)(?:vi|vim|ex)(?:[<=>]?\d+)?:(?:.*[\s:])?(?:ft|filetype|syntax)=([\w.+-]+)/
const EMACS = /-\*-\s*(?:.*?\bmode\s*:\s*([\w+#-]+).*?|([\w+#-]+)\s*)-\*-/i
const EMACS_BLOCK = /^\W*mode:\s*([\w+#-]+)/i

/**
 * The language that a vim or emacs modeline names, in lower case and translated to an id of aman if the editor's name
 * is known: `vim: ft=python`, `-*- mode: ruby -*-`, `-*- C++ -*-`, or `mode: sh` below `Local Variables:`.
 */
export function modelineLanguage(text: string): string | null {
  const first = text.slice(0, MAX_EDGE_CHARS).split("\n", SEARCHED_LINES)
  const last = text
    .slice(-MAX_EDGE_CHARS)
    .split("\n")
    .slice(-SEARCHED_LINES - 1)
  const name = inLines([...first, ...last]) ?? inLocalVariables(text)
  if (name === undefined) return null
  const lower = name.toLowerCase().replace(/-(?:ts-)?mode$/, "")
  return languageNamed(lower)?.id ?? lower
}

function inLines(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    if (line.length > MAX_LINE_CHARS) continue
    const vim = VIM.exec(line)
    if (vim) return vim[1]
    const emacs = EMACS.exec(line)
    if (emacs) return emacs[1] ?? emacs[2]
  }
  return undefined
}

function inLocalVariables(text: string): string | undefined {
  const at = text.lastIndexOf("Local Variables:")
  if (at < text.length - MAX_EDGE_CHARS || at < 0) return undefined
  for (const line of text.slice(at).split("\n")) {
    const found = line.length <= MAX_LINE_CHARS && EMACS_BLOCK.exec(line)
    if (found) return found[1]
  }
  return undefined
}
