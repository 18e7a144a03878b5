import {
  BLOCK_COMMENT,
  DASH_COMMENT,
  type DefinitionRule,
  type DelimitedSpan,
  DOUBLE_QUOTED,
  HASH_COMMENT,
  type RuleSet,
  SINGLE_QUOTED,
  SLASH_COMMENT,
} from "./rule.ts"
import * as sets from "./rule-sets.ts"

const NAME = "[A-Za-z_$\\u0080-\\uffff][\\w$\\u0080-\\uffff]*"
const QUALIFIED = `(?<name>(?:${NAME}(?:::|[.:]))*~?${NAME}[?!]?)`
const MODIFIERS =
  "(?:(?:export|default|declare|abstract|public|private|protected|internal|fileprivate|static|final|sealed|open|data|inner|pub(?:\\([\\w ]+\\))?|unsafe|async|extern|inline|virtual|override|local|partial|readonly|case|implicit|lazy|companion|suspend|indirect|mutating|const|constexpr|friend|native|synchronized|strictfp|pure|view|recursive)[ \\t]+){0,6}"

function keyword(kind: DefinitionRule["kind"], words: string): DefinitionRule {
  const pattern = new RegExp(`^[ \\t]*${MODIFIERS}(?:${words})[ \\t]+${QUALIFIED}`, "i")
  return { kind, pattern, extent: "block" }
}

/**
 * Pattern for words that may come before a bracket and a block without being the name of a function, as in `if (…) {`.
 */
const NO_FUNCTION =
  "(?!(?:if|for|foreach|while|until|switch|match|return|else|elif|elseif|elsif|new|throw|do|try|catch|finally|using|lock|with|case|when|guard|defer|go|select|sizeof|typeof|await|yield|delete|assert|unless|and|or|not|in|is|function|fn|func|synchronized|repeat)\\b)"

const GENERIC_RULES: readonly DefinitionRule[] = [
  keyword("class", "(?:enum[ \\t]+)?class|object|actor|contract|mixin|record|instance"),
  keyword("struct", "struct|union|data|newtype"),
  keyword("interface", "interface|protocol|trait|service|typeclass"),
  keyword("enum", "enum"),
  keyword("module", "namespace|module|defmodule|defprotocol|library|program|extension"),
  {
    kind: "function",
    pattern: new RegExp(
      `^[ \\t]*${MODIFIERS}(?:func|fun|fn|function\\*?|def|defp|defmacro|defmacrop|sub|proc|procedure|subroutine|macro|macro_rules!|iterator|task)[ \\t]+(?:\\([^()\\n]{0,100}\\)[ \\t]*)?${QUALIFIED}`,
      "i",
    ),
    extent: "block",
  },
  {
    kind: "function",
    pattern: new RegExp(
      `^[ \\t]*(?:export[ \\t]+)?(?:const|let|var|val|local)[ \\t]+(?<name>${NAME})[^=\\n]{0,100}=[ \\t]*(?:async[ \\t]*)?(?:function\\b|fun\\b|fn\\b|\\([^()\\n]{0,200}\\)[^=\\n]{0,60}=>|${NAME}[ \\t]*=>)`,
    ),
    extent: "block",
  },
  // Finds functions in shell scripts. The rule after it finds the signatures of Haskell, which come before the
  // equations.
  {
    kind: "function",
    pattern: /^[ \t]*(?<name>[\w:.-]+)[ \t]*\([ \t]*\)[ \t]*(?=\{|\r?\n\{)/,
    extent: "braces",
    maxDepth: 0,
  },
  { kind: "function", pattern: /^(?<name>[a-z_][\w']*)[ \t]+::[ \t]/, extent: "indent", maxDepth: 0 },
  keyword("type", "type|typealias|typedef|using"),
  { kind: "macro", pattern: /^[ \t]*#[ \t]*define[ \t]+(?<name>\w+)/, extent: "row" },
  {
    kind: "function",
    pattern: /^[ \t]*\(def[\w*-]*[ \t]+\(?(?<name>[^\s()[\]{}"']+)/,
    extent: "parens",
  },
  {
    kind: "function",
    pattern: new RegExp(
      `^[ \\t]*${NO_FUNCTION}(?:[A-Za-z_][\\w:<>,.?\\[\\]]*[ \\t*&]+){1,6}(?<name>~?[A-Za-z_][\\w:~]*)[ \\t]*(?=\\()`,
    ),
    extent: "braces",
    needsBlock: true,
  },
  {
    kind: "method",
    pattern: new RegExp(
      `^[ \\t]+${NO_FUNCTION}(?:(?:async|static|get|set|public|private|protected|override|readonly)[ \\t]+){0,4}[*#]?(?!constructor\\b)(?<name>${NAME})[ \\t]*(?=\\()`,
    ),
    extent: "braces",
    needsBlock: true,
    minDepth: 1,
  },
]

/** The row up to the keyword of a definition: annotations and words in lower case, such as modifiers. */
const LEAD =
  "^[ \\t]*(?:@[\\w.]+(?:\\([^()\\n]*\\))?[ \\t]+){0,4}(?!(?:import|using|use|new|return|typename|friend)\\b)(?:[a-z]+(?:\\([\\w ]+\\))?[ \\t]+){0,6}"
/** What follows the name of a type that has a body. */
const BODY =
  "(?=(?:<[^;(){}\\n]{0,200}>)?[ \\t]*(?:final\\b[ \\t]*)?(?:\\{|:(?!:)|\\r?\\n|(?:extends|implements)\\b))"

/** Rules that find types by their keyword where the grammar of a language fails. `after` follows the name. */
function typeHeads(after: string): DefinitionRule[] {
  const words = {
    enum: "enum(?:[ \\t]+(?:class|struct))?",
    class: "class|object|record",
    struct: "struct|union",
    interface: "@?interface|protocol|trait",
    module: "namespace|module",
  }
  return Object.entries(words).map(([kind, word]) => ({
    kind: kind as DefinitionRule["kind"],
    pattern: new RegExp(`${LEAD}(?:${word})[ \\t]+(?<name>${NAME})\\b${after}`),
    extent: "block",
    ...(after === "" ? {} : { needsBlock: true }),
  }))
}

const KEYWORD_HEADS: readonly DefinitionRule[] = [
  ...typeHeads(""),
  {
    kind: "function",
    pattern: new RegExp(
      `${LEAD}(?:func|fun|fn|def|function)[ \\t]+(?:<(?:[^<>\\n]|<[^<>\\n]*>)*>[ \\t]*)?(?:\\([^()\\n]{0,100}\\)[ \\t]*)?(?:(?<owner>${NAME})(?:<(?:[^<>\\n]|<[^<>\\n]*>)*>)?[?]?\\.)?(?<name>${NAME}[?!]?)(?=[ \\t]*[(<\\[\\r\\n:=])(?![^(\\n]*>\\??\\.)`,
    ),
    extent: "block",
  },
]

/** Rules for languages that begin a function with the type of its result. */
const TYPED_HEADS: readonly DefinitionRule[] = [
  ...typeHeads(BODY),
  ...GENERIC_RULES.filter(({ kind }) => kind === "macro"),
  {
    kind: "function",
    pattern: new RegExp(
      `^[ \\t]*${NO_FUNCTION}(?:(?!(?:operator|case)\\b)[A-Za-z_][\\w:<>,.?\\[\\]]*[ \\t*&]+){1,6}(?<name>(?!(?:operator|alignas|decltype|noexcept|co_\\w+|if|for|while|switch|return)\\b)(?:\\w+::){0,4}~?[A-Za-z_]\\w*)[ \\t]*(?=\\()`,
    ),
    extent: "braces",
    needsBlock: true,
  },
]

const TYPED: ReadonlySet<string> = new Set("c cpp objective-c java csharp dart groovy".split(" "))

/**
 * Rules for the rows of a file that the grammar of the language fails on; null if rows do not show what is defined. They
 * accept only what hardly is something else.
 */
export function headRulesOf(languageId: string): RuleSet | null {
  const rules = rulesOf(languageId)
  if (rules === null || rules.rules !== GENERIC_RULES) return null
  return { ...rules, rules: TYPED.has(languageId) ? TYPED_HEADS : KEYWORD_HEADS }
}

const SEMICOLON_COMMENT: DelimitedSpan = { holds: "comment", first: ";", open: /;/y, close: null }
const PERCENT_COMMENT: DelimitedSpan = { holds: "comment", first: "%", open: /%/y, close: null }
const APOSTROPHE_COMMENT: DelimitedSpan = { holds: "comment", first: "'", open: /'/y, close: null }
const EXCLAMATION_COMMENT: DelimitedSpan = { holds: "comment", first: "!", open: /!/y, close: null }
const BRACE_COMMENT: DelimitedSpan = { holds: "comment", first: "{", open: /\{-/y, close: "-}" }
const STAR_COMMENT: DelimitedSpan = { holds: "comment", first: "(", open: /\(\*/y, close: "*)" }
const WORD_COMMENT: DelimitedSpan = { ...HASH_COMMENT, open: /(?<=^|[\s;{}()])#(?![a-z]+\b)/y }
const TEMPLATE: DelimitedSpan = { holds: "string", first: "`", open: /`/y, close: "`", escape: "\\" }
const TRIPLE_QUOTED: DelimitedSpan = {
  holds: "string",
  first: "\"'",
  open: /"""|'''/y,
  close: ([quote]) => quote,
}

const RAW: DelimitedSpan = { holds: "string", first: "R", open: /R"(\w*)\(/y, close: ([, tag]) => `)${tag}"` }

const QUOTES = [DOUBLE_QUOTED, SINGLE_QUOTED]

function generic(...spans: readonly DelimitedSpan[]): RuleSet {
  return { spans, rules: GENERIC_RULES }
}

/**
 * Rule sets for languages without rules of their own, by the syntax of their comments. All of them search for the
 * keywords of all languages.
 */
export const GENERIC = {
  slash: generic(SLASH_COMMENT, BLOCK_COMMENT, TRIPLE_QUOTED, RAW, ...QUOTES, TEMPLATE),
  hash: generic(TRIPLE_QUOTED, HASH_COMMENT, ...QUOTES),
  hashOrSlash: generic(WORD_COMMENT, SLASH_COMMENT, BLOCK_COMMENT, ...QUOTES),
  dash: generic(DASH_COMMENT, BRACE_COMMENT, DOUBLE_QUOTED),
  star: generic(SLASH_COMMENT, STAR_COMMENT, DOUBLE_QUOTED),
  semicolon: generic(SEMICOLON_COMMENT, DOUBLE_QUOTED),
  percent: generic(PERCENT_COMMENT, DOUBLE_QUOTED),
  apostrophe: generic(APOSTROPHE_COMMENT, DOUBLE_QUOTED),
  exclamation: generic(EXCLAMATION_COMMENT, ...QUOTES),
} as const

/** One entry per language or family. The rules of a family are used only if the language has none of its own. */
const RULES: Readonly<Record<string, RuleSet>> = {
  ...every(
    GENERIC.slash,
    "c cpp csharp d dart go groovy java javascript kotlin objective-c rust scala shader",
  ),
  ...every(
    GENERIC.slash,
    "devicetree gleam rescript solidity swift tsx typescript v verilog vue svelte astro zig",
  ),
  ...every(
    GENERIC.hash,
    "awk bash bazel crystal elixir fish julia meson nim nix perl powershell python r ruby tcl",
  ),
  ...every(GENERIC.hashOrSlash, "php terraform"),
  ...every(GENERIC.dash, "agda elm haskell lua purescript vhdl"),
  ...every(GENERIC.star, "fsharp fsharp-signature ocaml pascal"),
  ...every(GENERIC.semicolon, "assembly clojure emacs-lisp lisp"),
  ...every(GENERIC.percent, "erlang tex"),
  ...every(GENERIC.apostrophe, "visual-basic"),
  ...every(GENERIC.exclamation, "fortran"),
  // Trigger is the only keyword of Apex that begins a definition and that other languages do not have.
  apex: {
    ...GENERIC.slash,
    rules: [
      { kind: "function", pattern: /^[ \t]*trigger[ \t]+(?<name>\w+)[ \t]+on\b/i, extent: "braces" },
      ...TYPED_HEADS,
    ],
  },
  rst: sets.UNDERLINED,
  text: sets.UNDERLINED,
  asciidoc: sets.ASCIIDOC,
  bicep: sets.BICEP,
  cmake: sets.CMAKE,
  coq: sets.COQ,
  dockerfile: sets.DOCKERFILE,
  graphql: sets.GRAPHQL,
  makefile: sets.MAKEFILE,
  matlab: sets.MATLAB,
  org: sets.ORG,
  prisma: sets.PRISMA,
  prolog: sets.PROLOG,
  proto: sets.PROTO,
  scss: sets.SCSS,
  sql: sets.SQL,
  template: sets.TEMPLATE,
  thrift: sets.THRIFT,
}

/** The rules of a language; null if rows do not show what is defined (data, templates). */
export function rulesOf(languageId: string): RuleSet | null {
  return Object.hasOwn(RULES, languageId) ? RULES[languageId]! : null
}

function every(rules: RuleSet, ids: string): Record<string, RuleSet> {
  return Object.fromEntries(ids.split(" ").map((id) => [id, rules]))
}
