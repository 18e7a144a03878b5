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

const CALLABLE = "(?:function|procedure|proc|trigger|aggregate|(?:package|type)(?:\\s+body)|package|event)"

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
