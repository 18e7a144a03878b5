import {
  BLOCK_COMMENT,
  DASH_COMMENT,
  type DefinitionRule,
  type DelimitedSpan,
  DOUBLE_QUOTED,
  HASH_COMMENT,
  LONG_DOUBLE_QUOTED,
  LONG_SINGLE_QUOTED,
  type RuleSet,
  SINGLE_QUOTED,
  SLASH_COMMENT,
} from "./rule.ts"

/** Comments in languages where `#` begins one only at the start of a row. Elsewhere `#` is part of a word. */
const ROW_COMMENT: DelimitedSpan = { ...HASH_COMMENT, open: /(?<=(?:^|\n)[ \t]*)#/y }

const HEREDOC: DelimitedSpan = {
  holds: "string",
  first: "<",
  open: /<<-?["']?(\w+)["']?/y,
  close: ([, tag]) => `\n${tag}`,
}

export const DOCKERFILE: RuleSet = {
  spans: [ROW_COMMENT, HEREDOC],
  rules: [
    {
      kind: "section",
      pattern: /^[ \t]*from[ \t]+(?:--\S+[ \t]+)*\S+[ \t]+as[ \t]+(?<name>\S+)/i,
      extent: "section",
      level: 1,
    },
    {
      kind: "section",
      pattern: /^[ \t]*from[ \t]+(?:--\S+[ \t]+)*(?<name>\S+)/i,
      extent: "section",
      level: 1,
    },
    { kind: "variable", pattern: /^[ \t]*(?:arg|env)[ \t]+(?<name>\w+)/i, extent: "row" },
  ],
  imports: /^[ \t]*from[ \t]+(?:--\S+[ \t]+)*(\S+)/gim,
}

export const MAKEFILE: RuleSet = {
  spans: [{ ...HASH_COMMENT, open: /(?<!\\)#/y }],
  rules: [
    {
      kind: "macro",
      pattern: /^[ \t]*(?:override[ \t]+)?define[ \t]+(?<name>[\w.-]+)/,
      extent: /^endef\b/,
      isOpaque: true,
    },
    {
      kind: "variable",
      pattern: /^(?:(?:export|override|private)[ \t]+){0,2}(?<name>[A-Za-z_][\w.-]*)[ \t]*(?::{0,3}|[+?!])=/,
      extent: "row",
    },
    // Special targets such as .PHONY are excluded, because they define nothing.
    {
      kind: "function",
      pattern: /^@?(?!\.[A-Z])(?<name>[\w./%${}()*+-]+)(?:[ \t]+[^:=\n]*)?[ \t]*&?:(?!=)/,
      extent: "indent",
    },
  ],
  imports: /^-?s?include[ \t]+(\S+)/gm,
}

const BRACKET_COMMENT: DelimitedSpan = {
  holds: "comment",
  first: "#",
  open: /#\[(=*)\[/y,
  close: ([, eq]) => `]${eq}]`,
}
const BRACKET_ARGUMENT: DelimitedSpan = {
  holds: "string",
  first: "[",
  open: /\[(=*)\[/y,
  close: ([, eq]) => `]${eq}]`,
}

export const CMAKE: RuleSet = {
  spans: [BRACKET_COMMENT, HASH_COMMENT, LONG_DOUBLE_QUOTED, BRACKET_ARGUMENT],
  rules: [
    {
      kind: "function",
      pattern: /^[ \t]*function[ \t]*\(\s*(?<name>[\w.:+-]+)/i,
      extent: /^endfunction\b/i,
    },
    { kind: "macro", pattern: /^[ \t]*macro[ \t]*\(\s*(?<name>[\w.:+-]+)/i, extent: /^endmacro\b/i },
    {
      kind: "module",
      pattern:
        /^[ \t]*(?=\w+[ \t]*\()(?:add_library|add_executable|add_custom_target|project|qt_add_\w+)[ \t]*\(\s*(?!\$)(?<name>[\w.:+-]+)/i,
      extent: "parens",
    },
    {
      kind: "variable",
      pattern: /^[ \t]*(?:option|cmake_dependent_option)[ \t]*\(\s*(?<name>\w+)/i,
      extent: "parens",
    },
  ],
  imports: /^[ \t]*(?:include|add_subdirectory|find_package)[ \t]*\(\s*([\w./:+-]+)/gim,
}

function section(pattern: RegExp, level: number): DefinitionRule {
  return { kind: "section", pattern, extent: "section", level }
}

/**
 * The characters that underline titles, each with the level of the title. A document may use them in any order; this
 * order is the most common one.
 */
const UNDERLINES: readonly (readonly [string, number])[] = [
  ["[=#*]", 1],
  ["-", 2],
  ["[~\"`':.]", 3],
  ["[\\^_+<>]", 4],
]

export const UNDERLINED: RuleSet = {
  spans: [],
  rules: UNDERLINES.map(([character, level]) =>
    section(
      new RegExp(
        `^(?<name>[\\p{L}\\p{N}\`(*:][^\\n]{0,118})\\r?\\n(?<line>${character})\\k<line>{2,}[ \\t]*(?:\\r?\\n|$)`,
        "u",
      ),
      level,
    ),
  ),
}

const LEVELS = [1, 2, 3, 4, 5, 6]

export const ASCIIDOC: RuleSet = {
  spans: [
    { holds: "comment", first: "/", open: /(?<=^|\n)\/{4,}(?=\r?\n)/y, close: "\n////" },
    { holds: "string", first: "-", open: /(?<=^|\n)-{4,}(?=\r?\n)/y, close: "\n----" },
    { holds: "string", first: ".", open: /(?<=^|\n)\.{4,}(?=\r?\n)/y, close: "\n...." },
  ],
  rules: LEVELS.map((level) => section(new RegExp(`^={${level}}[ \\t]+(?<name>[^\\n]+)`), level)),
}

export const ORG: RuleSet = {
  spans: [{ holds: "string", first: "#", open: /(?<=^|\n)[ \t]*#\+begin_(\w+)/iy, close: "\n#+end_" }],
  rules: LEVELS.map((level) => section(new RegExp(`^\\*{${level}}[ \\t]+(?<name>[^\\n]+)`), level)),
}

const SQL_PART = '(?:[\\w$#@]+|"[^"\\n]+"|`[^`\\n]+`|\\[[^\\]\\n]+\\])'
const SQL_NAME = `(?<name>${SQL_PART}(?:\\.${SQL_PART}){0,3})`
const SQL_CREATE = "^[ \\t]*create\\s+(?:or\\s+(?:replace|alter)\\s+)?"
const IF_NOT_EXISTS = "(?:concurrently\\s+)?(?:if\\s+not\\s+exists\\s+)?"

/**
 * Matches the row that ends the body of an SQL routine: END, GO or a slash alone on a row. A body in dollar quotes is a
 * string, and ends with its statement instead.
 */
const SQL_BODY_END =
  /^(?:end(?:\s+(?!if\b|loop\b|while\b|case\b|repeat\b|for\b)\w+)?\s*(?:;|\/\/|\$\$)*|go|\/|\/\/|\$\$)\s*$/i
const IN_DOLLARS = "(?=[\\s\\S]*?\\$\\w*\\$)"

function sql(
  kind: DefinitionRule["kind"],
  what: string,
  extent: DefinitionRule["extent"] = "statement",
  after = "",
): DefinitionRule {
  const pattern = new RegExp(`${SQL_CREATE}${what}\\s+${IF_NOT_EXISTS}(?!on\\b)${SQL_NAME}${after}`, "i")
  const rule = { kind, pattern, extent, isSignatureWhole: true, maxDepth: 0 } as const
  return extent instanceof RegExp ? { ...rule, isOpaque: true } : rule
}

const SQL_STRING: DelimitedSpan = { holds: "string", first: "'", open: /'/y, close: "'" }
const DOLLAR_QUOTED: DelimitedSpan = {
  holds: "string",
  first: "$",
  open: /\$\w*\$/y,
  close: ([quote]) => quote,
}

const CALLABLE = "(?:function|procedure|proc|trigger|aggregate|type\\s+body|event)"

const ROUTINE = (after: string) =>
  new RegExp(
    `^[ \\t]+(?:procedure|function)\\s+(?<name>${SQL_PART})\\s*(?:\\([^()]*(?:\\([^()]*\\)[^()]*){0,9}\\)\\s*)?(?:return\\s+[\\w.%]+\\s*)?(?:(?:deterministic|pipelined|result_cache)\\s*){0,3}${after}`,
    "i",
  )

export const SQL: RuleSet = {
  spans: [DASH_COMMENT, BLOCK_COMMENT, SQL_STRING, DOLLAR_QUOTED],
  rules: [
    sql(
      "struct",
      "(?:(?:global|local|temp|temporary|unlogged|external|foreign|virtual|transient)\\s+){0,3}table",
    ),
    sql("struct", "(?:(?:materialized|recursive|secure|temp|temporary|algorithm\\s*=\\s*\\w+)\\s+){0,3}view"),
    sql("function", `(?:editionable\\s+|constraint\\s+)?${CALLABLE}`, "statement", IN_DOLLARS),
    sql("function", "(?:constraint\\s+)?trigger", "statement", "(?=[^;]*\\bexecute\\b)"),
    sql("function", `(?:editionable\\s+)?${CALLABLE}`, SQL_BODY_END),
    { ...sql("module", "(?:editionable\\s+)?package(?:\\s+body)?"), extent: SQL_BODY_END },
    // The routines of a package: one that is only declared ends with its statement.
    { kind: "function", pattern: ROUTINE(";"), extent: "statement" },
    { kind: "function", pattern: ROUTINE("[ai]s\\b"), extent: SQL_BODY_END },
    sql("enum", "type", "statement", "(?=\\s+as\\s+enum\\b)"),
    sql("type", "(?:type|domain)"),
    sql("module", "(?:schema|database)"),
    sql("property", "(?:(?:unique|clustered|nonclustered|bitmap|fulltext|spatial)\\s+){0,2}index"),
    sql("property", "(?:policy|extension|role|user|sequence|publication|subscription|statistics)"),
    {
      kind: "field",
      pattern: new RegExp(
        `^[ \\t]*alter\\s+table\\s+(?:if\\s+exists\\s+)?(?:only\\s+)?(?<owner>[\\w.]+)\\s+add\\s+(?:column\\s+)?(?:if\\s+not\\s+exists\\s+)?(?!constraint\\b|primary\\b|foreign\\b|unique\\b|check\\b|index\\b|key\\b)(?<name>${SQL_PART})\\s+\\w`,
        "i",
      ),
      extent: "statement",
      maxDepth: 0,
      isSignatureWhole: true,
    },
  ],
}

export const PROTO: RuleSet = {
  spans: [SLASH_COMMENT, BLOCK_COMMENT, DOUBLE_QUOTED, SINGLE_QUOTED],
  rules: [
    { kind: "struct", pattern: /^[ \t]*(?:message|extend|group)[ \t]+(?<name>[\w.]+)/, extent: "braces" },
    { kind: "enum", pattern: /^[ \t]*enum[ \t]+(?<name>\w+)/, extent: "braces" },
    { kind: "interface", pattern: /^[ \t]*service[ \t]+(?<name>\w+)/, extent: "braces" },
    { kind: "method", pattern: /^[ \t]*rpc[ \t]+(?<name>\w+)/, extent: "braces", minDepth: 1 },
    {
      kind: "constant",
      pattern: /^[ \t]*(?<name>[A-Z][A-Z0-9_]*)[ \t]*=[ \t]*-?\d/,
      extent: "row",
      minDepth: 1,
    },
    {
      kind: "field",
      pattern:
        /^[ \t]*(?:(?:optional|required|repeated)[ \t]+)?(?:map[ \t]*<[^>\n]*>|[\w.]+)[ \t]+(?<name>\w+)[ \t]*=[ \t]*\d/,
      extent: "row",
      minDepth: 1,
    },
  ],
  imports: /^[ \t]*import[ \t]+(?:public[ \t]+|weak[ \t]+)?"([^"\n]+)"/gm,
  package: /^[ \t]*package[ \t]+([\w.]+)/m,
}

export const THRIFT: RuleSet = {
  spans: [SLASH_COMMENT, HASH_COMMENT, BLOCK_COMMENT, DOUBLE_QUOTED, SINGLE_QUOTED],
  rules: [
    { kind: "struct", pattern: /^[ \t]*(?:struct|union|exception)[ \t]+(?<name>\w+)/, extent: "braces" },
    { kind: "enum", pattern: /^[ \t]*enum[ \t]+(?<name>\w+)/, extent: "braces" },
    { kind: "interface", pattern: /^[ \t]*service[ \t]+(?<name>\w+)/, extent: "braces" },
    { kind: "type", pattern: /^[ \t]*typedef[ \t]+[^\n]*?(?<name>\w+)[ \t]*[;,]?[ \t]*$/m, extent: "row" },
    { kind: "constant", pattern: /^[ \t]*const[ \t]+[^\n=]*?(?<name>\w+)[ \t]*=/, extent: "row" },
    {
      kind: "method",
      pattern: /^[ \t]*(?:oneway[ \t]+)?[\w.<>, ]{1,80}[ \t](?<name>\w+)[ \t]*(?=\()/,
      extent: "parens",
      minDepth: 1,
    },
  ],
  imports: /^[ \t]*include[ \t]+"([^"\n]+)"/gm,
}

const DESCRIPTION: DelimitedSpan = { holds: "comment", first: '"', open: /"""/y, close: '"""' }

export const GRAPHQL: RuleSet = {
  spans: [DESCRIPTION, HASH_COMMENT, DOUBLE_QUOTED],
  rules: [
    { kind: "class", pattern: /^[ \t]*(?:extend[ \t]+)?type[ \t]+(?<name>\w+)/, extent: "braces" },
    { kind: "interface", pattern: /^[ \t]*(?:extend[ \t]+)?interface[ \t]+(?<name>\w+)/, extent: "braces" },
    { kind: "struct", pattern: /^[ \t]*(?:extend[ \t]+)?input[ \t]+(?<name>\w+)/, extent: "braces" },
    { kind: "enum", pattern: /^[ \t]*(?:extend[ \t]+)?enum[ \t]+(?<name>\w+)/, extent: "braces" },
    { kind: "type", pattern: /^[ \t]*(?:extend[ \t]+)?(?:union|scalar)[ \t]+(?<name>\w+)/, extent: "row" },
    { kind: "macro", pattern: /^[ \t]*directive[ \t]+@(?<name>\w+)/, extent: "row" },
    {
      kind: "function",
      pattern: /^[ \t]*(?:query|mutation|subscription|fragment)[ \t]+(?<name>\w+)/,
      extent: "braces",
      maxDepth: 0,
    },
    {
      kind: "field",
      pattern: /^[ \t]*(?<name>\w+)[ \t]*(?:\([^()]*\)[ \t]*)?:[ \t]*[[\w]/,
      extent: "row",
      minDepth: 1,
      maxDepth: 1,
    },
  ],
  imports: /^[ \t]*#import[ \t]+"([^"\n]+)"/gm,
}

/**
 * Rules for SCSS and Less. They are also used for Sass and Stylus, where only definitions on a single row are found,
 * because these languages have no braces.
 */
export const SCSS: RuleSet = {
  spans: [
    // The slashes in url(https://…) do not begin a comment.
    { ...SLASH_COMMENT, open: /(?<!:)\/\//y },
    BLOCK_COMMENT,
    LONG_DOUBLE_QUOTED,
    LONG_SINGLE_QUOTED,
  ],
  rules: [
    { kind: "macro", pattern: /^[ \t]*@mixin[ \t]+(?<name>[\w-]+)/, extent: "braces" },
    { kind: "function", pattern: /^[ \t]*@function[ \t]+(?<name>[\w-]+)/, extent: "braces" },
    {
      kind: "constant",
      pattern: /^[ \t]*@(?:-\w+-)?keyframes[ \t]+(?<name>[\w-]+)/,
      extent: "braces",
      isOpaque: true,
    },
    {
      kind: "macro",
      pattern: /^[ \t]*[.#](?<name>[\w-]+)(?=\([^{}]*\)[^{};]*\{|[ \t]+when\b)/,
      extent: "braces",
    },
    {
      kind: "variable",
      pattern: /^[ \t]*[$@](?<name>[\w-]+)[ \t]*:(?!\s*\{)/,
      extent: "statement",
      maxDepth: 0,
    },
    { kind: "macro", pattern: /^[ \t]*@(?<name>[\w-]+)[ \t]*:[ \t]*\{/, extent: "braces", maxDepth: 0 },
    { kind: "variable", pattern: /^[ \t]*(?<name>--[\w-]+)[ \t]*:/, extent: "statement" },
    { kind: "selector", pattern: /^[ \t]*%(?<name>[\w-]+)/, extent: "braces", needsBlock: true },
    {
      kind: "selector",
      pattern: /^[ \t]*(?:[\w&*>+~-]+[ \t]*)?[.#](?<name>[A-Za-z_-][\w-]*)(?=[^;{}]*\{|[^;{}]*,[ \t]*\n)/,
      extent: "braces",
      needsBlock: true,
    },
  ],
  imports: /^[ \t]*@(?:use|forward|import)[ \t]+(?:\([^)\n]*\)[ \t]*)?["']([^"'\n]+)["']/gm,
}

function rule(
  kind: DefinitionRule["kind"],
  pattern: RegExp,
  extent: DefinitionRule["extent"],
  minDepth = 0,
): DefinitionRule {
  return { kind, pattern, extent, minDepth }
}

const PERCENT: DelimitedSpan = { ...DASH_COMMENT, first: "%", open: /%/y }

/** Rules for the macros of template languages, by which one file names a part of another. */
export const TEMPLATE: RuleSet = {
  spans: [],
  rules: [
    rule("function", /^[ \t]*\{%[-+~]?[ \t]*macro[ \t]+(?<name>\w+)[^\n]*\{%[-+~]?[ \t]*endmacro\b/, "row"),
    rule("function", /^[ \t]*\{%[-+~]?[ \t]*macro[ \t]+(?<name>\w+)/, /^\{%[-+~]?[ \t]*endmacro\b/),
    // Helm and other templates of Go.
    { ...section(/^[ \t]*\{\{-?[ \t]*(?:define|block)[ \t]+"(?<name>[^"\n]+)"/, 1), kind: "function" },
    rule("function", /^[ \t]*<#(?:macro|function)[ \t]+(?<name>[\w-]+)/, /^<\/#(?:macro|function)>/),
    rule("function", /^[ \t]*#macro[ \t]*\([ \t]*(?<name>[\w-]+)/, /^#(?:end|\{end\})/),
    rule("function", /^[ \t]*<%(?:def|block)[ \t]+name="(?<name>\w+)/, /^<\/%(?:def|block)>/),
    rule("function", /^[ \t]*\{define[ \t]+#?(?<name>[\w-]+)/, /^\{\/define\}/),
    rule("function", /^[ \t]*\{\{#\*inline[ \t]+"(?<name>[\w-]+)"/, /^\{\{\/inline\}\}/),
    rule("function", /^[ \t]*mixin[ \t]+(?<name>[\w-]+)/, "indent"),
  ],
}

export const PRISMA: RuleSet = {
  spans: [SLASH_COMMENT, DOUBLE_QUOTED],
  rules: [
    rule("struct", /^[ \t]*(?:model|type|view)[ \t]+(?<name>\w+)(?=[ \t]*\{)/, "braces"),
    rule("enum", /^[ \t]*enum[ \t]+(?<name>\w+)/, "braces"),
    rule("module", /^[ \t]*(?:datasource|generator)[ \t]+(?<name>\w+)/, "braces"),
    rule("field", /^[ \t]+(?<name>\w+)[ \t]+[A-Z]\w*/, "row", 1),
    rule("constant", /^[ \t]+(?<name>[A-Z]\w*)[ \t]*(?:@[^\n]*)?(?=\r?\n)/, "row", 1),
  ],
}

export const BICEP: RuleSet = {
  spans: [
    SLASH_COMMENT,
    BLOCK_COMMENT,
    { ...SINGLE_QUOTED, open: /'''/y, close: "'''", isOneRow: false },
    SINGLE_QUOTED,
  ],
  rules: [
    rule("resource", /^[ \t]*resource[ \t]+(?<name>\w+)[ \t]/, "braces"),
    rule("module", /^[ \t]*module[ \t]+(?<name>\w+)[ \t]/, "braces"),
    rule("function", /^[ \t]*(?:export[ \t]+)?func[ \t]+(?<name>\w+)/, "row"),
    rule("type", /^[ \t]*type[ \t]+(?<name>\w+)[ \t]*=/, "row"),
    rule("variable", /^[ \t]*(?:param|var|output)[ \t]+(?<name>\w+)[ \t=]/, "row"),
  ],
  imports: /^[ \t]*(?:module[ \t]+\w+|using|import[^\n']*?from)[ \t]+'([^'\n]+)'/gm,
}

export const MATLAB: RuleSet = {
  spans: [{ ...PERCENT, open: /%\{[ \t]*(?=\r?\n)/y, close: "%}" }, PERCENT, DOUBLE_QUOTED],
  rules: [
    { ...section(/^[ \t]*classdef(?:[ \t]*\([^()\n]*\))?[ \t]+(?<name>\w+)/, 1), kind: "class" },
    {
      ...section(/^[ \t]*function[ \t]+(?:(?:\[[^\]\n]*\]|\w+)[ \t]*=[ \t]*)?(?<name>\w[\w.]*)/, 2),
      kind: "function",
    },
  ],
}

function sentence(kind: DefinitionRule["kind"], words: string): DefinitionRule {
  const pattern = new RegExp(
    `^[ \\t]*(?:(?:Local|Global|Program|Polymorphic)[ \\t]+|#\\[[^\\]\\n]*\\][ \\t]*){0,3}(?:${words})[ \\t]+(?<name>[\\w']+)`,
  )
  return { ...section(pattern, 2), kind }
}

export const COQ: RuleSet = {
  spans: [{ holds: "comment", first: "(", open: /\(\*/y, close: "*)" }, DOUBLE_QUOTED],
  rules: [
    { ...sentence("module", "Module(?:[ \\t]+Type)?|Section"), level: 1 },
    sentence("type", "Inductive|CoInductive|Variant|Record|Structure|Class"),
    sentence("macro", "Ltac2?|Tactic"),
    sentence(
      "function",
      "Theorem|Lemma|Corollary|Proposition|Fact|Remark|Example|Definition|Fixpoint|CoFixpoint|Function|Instance|Let|Axiom|Parameter|Hypothesis|Variable|Conjecture",
    ),
  ],
  imports: /^[ \t]*(?:From[ \t]+\S+[ \t]+)?Require[ \t]+(?:Import[ \t]+|Export[ \t]+)?([\w.]+)/gm,
}

export const PROLOG: RuleSet = {
  spans: [PERCENT, BLOCK_COMMENT, DOUBLE_QUOTED, SINGLE_QUOTED],
  rules: [
    {
      ...rule("function", /^(?<name>[a-z]\w*)(?=\(|[ \t]*(?::-|-->|\.[ \t]*(?:\r?\n|$)))/, "indent"),
      isFirstOnly: true,
    },
  ],
  imports: /^:-[ \t]*(?:use_module|ensure_loaded|consult)\((?:library\()?([\w/.']+)/gm,
  package: /^:-[ \t]*module\([ \t]*(\w+)/m,
}
