import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { importsOfDefault } from "../../code/references/default-exports.ts"
import { useHash } from "../../code/references/use-code.ts"
import { byPathAndPlace, isCallable, isConstructor, isType, type SymbolDefinition } from "../definition.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import { isDefaultExport } from "./default-exports.ts"
import { storedName } from "./stored-name.ts"

export type Unused = { readonly definition: SymbolDefinition; readonly confidence: number }

/**
 * Names of definitions that are called from outside the project's code: entry points, tests, and functions that a
 * language or framework calls by name.
 */
const CALLED_FROM_OUTSIDE =
  /^(?:main|wmain|init|setup|teardown|constructor|subscript|deinit|callAsFunction|initialize|new|default|drop|fmt|__\w+__|_+|test.*|Test.*|Benchmark.*|Example.*|bench.*|on[A-Z]\w*|operator.*|~\w+|toString|equals|hashCode|dispose|render|up|down|handle|boot|register)$/

/**
 * Functions and types whose names no code of the project uses. Another project or a string may still use such a name;
 * the confidence says how unlikely that is, and is lower for public names.
 */
export function unusedSymbols(graph: SymbolGraph, isWanted: (path: string) => boolean): Unused[] {
  const used = graph.usedHashes()
  const unread = graph.store.files.unreadLanguages()
  const found: Unused[] = []
  const calledMacros = new Set<string>()
  for (const file of graph.files(graph.store.uses.ids())) {
    if (!isWanted(file.path) || (file.flags & SKIPPED_FILES) !== 0) continue
    for (const symbol of file.symbols) {
      if (file.family === "c" && isMacroCall(symbol)) calledMacros.add(symbol.name)
      if (!isCandidate({ symbol, file }, used) || isUsed({ symbol, file }, used)) continue
      const hasUnreadFiles = unread.has(file.language)
      found.push({
        definition: { symbol, file },
        confidence: confidenceOf(symbol, file, hasUnreadFiles),
      })
    }
  }
  return withoutPrototypes(found.filter((each) => !calledMacros.has(definitionName(each)))).sort(
    (one, other) => other.confidence - one.confidence || byPathAndPlace(one.definition, other.definition),
  )
}

/** True for a function or a type whose uses the index records by its name. */
function isCandidate({ symbol, file }: SymbolDefinition, used: ReadonlySet<number>): boolean {
  if (!(isCallable(symbol) || isType(symbol)) || isConstructor(symbol) || isHolder(symbol, file)) return false
  if (file.family === "c" && isSecondName(symbol, used)) return false
  if (file.language === "scala" && IMPLICIT.test(symbol.signature)) return false
  return !isMostlyUnrecorded(symbol.name, file.language)
}

/** True when some file uses the name, or may import the definition as the default of its file, by any name. */
function isUsed({ symbol, file }: SymbolDefinition, used: ReadonlySet<number>): boolean {
  if (used.has(useHash(storedName(symbol.name)))) return true
  return (
    file.family === "js" &&
    importsOfDefault(file.path).some((name) => used.has(useHash(name))) &&
    isDefaultExport({ symbol, file })
  )
}

/**
 * True for a type whose members can be used without naming the type: an extension, an enumeration of C, a static class
 * of C#, a companion object of Kotlin, a Rust module, a namespace of C++, a component whose name comes from its folder, a type of a language
 * that infers types from constructors and fields.
 */
function isHolder(
  { kind, signature, name }: SymbolDefinition["symbol"],
  { family }: SymbolDefinition["file"],
): boolean {
  if (kind === "module") return family === "rust" || family === "c" || /^declare module\b/.test(signature)
  if (INFERRED_TYPES.test(family) && isType({ kind })) return true
  if (kind === "component") return name.includes("-")
  if (family === "c") return kind === "enum"
  if (kind !== "class") return false
  return HOLDER.test(signature) || (family === "csharp" && STATIC_CLASS.test(signature))
}

/** True for the tag of a C type that has another name: `typedef struct tag_s {…} tag_t`, or `_Tag` beside `Tag`. */
function isSecondName(symbol: SymbolDefinition["symbol"], used: ReadonlySet<number>): boolean {
  if (!isType(symbol) || symbol.kind === "type") return false
  return (
    /^typedef\b/.test(symbol.signature) || (symbol.name[0] === "_" && used.has(useHash(symbol.name.slice(1))))
  )
}

/**
 * True for a call of a macro with a block, which the grammar of C reads as a function without a result type, such as
 * `TEST_F(Suite, Name) {`.
 */
function isMacroCall({ kind, signature, name, owner }: SymbolDefinition["symbol"]): boolean {
  return kind === "function" && owner === null && signature.trimStart().startsWith(`${name}(`)
}

/** Matches a definition of Scala that the compiler finds by its type. */
const IMPLICIT = /^[^(:=]*\b(?:implicit|given)\b/
/** Language families in which code rarely writes the type of a value. */
const INFERRED_TYPES = /^(?:haskell|ocaml|ocaml-interface|fsharp|elm|gleam|rescript)$/
const HOLDER = /^\s*extension\b|\bcompanion object\b/
const STATIC_CLASS = /\bstatic\b.*\bclass\b/

/** Removes declarations of functions that the project also defines, such as prototypes in a C header. */
function withoutPrototypes(found: readonly Unused[]): Unused[] {
  const defined = new Set(found.filter((each) => !isPrototype(each)).map(definitionName))
  return found.filter((each) => !isPrototype(each) || !defined.has(definitionName(each)))
}

function isPrototype({ definition: { symbol, file } }: Unused): boolean {
  return file.family === "c" && isCallable(symbol) && /\)[^(){}]*;$/.test(symbol.signature)
}

function definitionName({ definition }: Unused): string {
  return definition.symbol.name
}

/**
 * Matches names whose uses are not recorded as one word: shell names with punctuation, names of C with a "$", keys of
 * Lua's tables that are no names.
 */
const NO_NAME: Readonly<Record<string, RegExp>> = { bash: /\W/, c: /\$/, cpp: /\$/, lua: /[^\w.:]/ }

/**
 * True for a name whose uses the index mostly does not record: a name of one letter (only its calls and members are
 * stored), an operator, and a name that is called from outside the code.
 */
function isMostlyUnrecorded(name: string, language: string): boolean {
  if (name.length === 1 || !/[\p{L}\p{N}]/u.test(name) || CALLED_FROM_OUTSIDE.test(name)) return true
  return NO_NAME[language]?.test(name) === true
}

const SKIPPED_FILES = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.declaration | FILE_FLAG.test

function confidenceOf(
  { name, kind, signature, owner }: SymbolDefinition["symbol"],
  { family }: SymbolDefinition["file"],
  hasUnreadFiles: boolean,
): number {
  const isPrivate =
    /\bprivate\b|\bstatic\b(?=.*\()/.test(signature) && (family !== "jvm" || /\bprivate\b/.test(signature))
  const isPublic =
    /\b(?:export|pub|public|override|abstract|open)\b|^@|@Override/.test(signature) ||
    (family === "go" && /^\p{Lu}/u.test(name)) ||
    (family === "python" && !name.startsWith("_")) ||
    // Routers and folder conventions refer to a component by the path of its file.
    kind === "component" ||
    family === "ruby" ||
    family === "php"
  let plain = isPublic ? 0.6 : 0.7
  if (isPrivate || (!isPublic && owner === null)) plain = 0.9
  return hasUnreadFiles ? plain / 2 : plain
}
