/**
 * parse: what does the text of this file contain?
 *
 * tree-sitter with one query per language, readers for Markdown and notebooks, rules, and plain lines as the last way; a
 * file that was not read fully says so in `degraded`.
 *
 * Words: a chunk is a part of a file that is indexed as one text (cAST, Zhang et al. 2025). A use is an occurrence of a
 * name, with its value path: how the text reaches the value before it. A family is languages whose names can refer to
 * each other. A rule recognises definitions by a language's words, where there is no grammar.
 *
 * Limits: time, memory and calls of a grammar, per file. A change of what is found raises INDEX_VERSION.
 */

export { centralityOf, type LinkedFile } from "./centrality.ts"
export { MAX_CHUNKS, type RowRange } from "./chunk/chunk.ts"
export { CALLABLES, definedNames, localsAmong, nameHashes, TYPES } from "./definitions.ts"
export { DEFAULT_PARSE_OPTIONS, parseFile, wasmMemoryBytes } from "./file/parse.ts"
export { limitRuntime } from "./file/syntax-tree.ts"
export { classifyTokens, TOKEN_KINDS, type Tokens } from "./file/tokens.ts"
export type { AddedGrammar, ListedGrammars } from "./grammars/grammar-packs.ts"
export { conventionOf, fileRoute, startConvention } from "./languages/conventions.ts"
export {
  familyOf,
  hasImplicitThis,
  importsNames,
  nameRules,
} from "./languages/family.ts"
export { fileFlags, pathFlags } from "./languages/file-flags.ts"
export { isMachineData, meanLine } from "./languages/generated.ts"
export { isGeneratedDocs } from "./languages/generated-docs.ts"
export { type GrammarPack, packsStamp } from "./languages/grammar-packs.ts"
export {
  contentKindOf,
  grammarPackVersions,
  languageNamed,
  languageOf,
  refreshGrammarPacks,
} from "./languages/languages.ts"
export { isTestFunction, testBlocksAround } from "./languages/test-marks.ts"
export { TEST_RUNNERS, type TestRunner, type TestToRun } from "./languages/test-runners.ts"
export {
  type Chunk,
  type CodeSymbol,
  GRAMMAR_ERRORS,
  isLimitNote,
  limitNote,
  NO_MEMORY,
  type ParsedFile,
  SYMBOL_KINDS,
} from "./parsed-file.ts"
export { displayText, readableText } from "./readable-text.ts"
/** @public Resolution of overloads reads it next. */
export { type Arity, arityOf, isOtherOverload } from "./references/arity.ts"
export {
  DECLARED_GLOBAL,
  importsOfDefault,
  originalOf,
  renamedExport,
  WITHOUT_OPTIONS,
} from "./references/exports.ts"
export {
  IMPORT_LIST,
  type ImportBinding,
  importBindings,
  OWN_MODULE,
  PART_OF,
  USED_MACRO,
  WHOLE,
} from "./references/import-list.ts"
export { DOCUMENTED_TYPE } from "./references/jsdoc.ts"
export { TEMPLATE_LANGUAGES } from "./references/templates.ts"
export {
  asMember,
  basesAmong,
  importAlias,
  literalMethod,
  packUses,
  StoredUses,
  subtypeOf,
  USE,
  type Use,
  useHash,
} from "./references/use-code.ts"
export { MAX_USES } from "./references/uses.ts"
export { pathAhead, type ValuePath } from "./references/value-path.ts"
export { COMMON_MEMBERS } from "./references/words.ts"
export {
  canonicalText,
  canonicalType,
  listOf,
  parseCanonical,
  readType,
  SIGN,
  type WrittenType,
} from "./references/written-type.ts"
export { rowAt, type TextLines, textLines } from "./text-lines.ts"

// Loaded when first needed, so that a command starts fast.
export const loadGrammarPacks = () => import("./grammars/grammar-packs.ts")
export const loadLanguagePacks = () => import("./languages/grammar-packs.ts")
export const loadLanguages = () => import("./languages/languages.ts")
export const loadParse = () => import("./file/parse.ts")
export const loadSyntaxTree = () => import("./file/syntax-tree.ts")
