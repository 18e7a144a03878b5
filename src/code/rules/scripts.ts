import {
  type DelimitedSpan,
  DOUBLE_QUOTED,
  HASH_COMMENT,
  LONG_DOUBLE_QUOTED,
  LONG_SINGLE_QUOTED,
  type RuleSet,
  SINGLE_QUOTED,
} from "./rule.ts"

const R_RAW: DelimitedSpan = {
  holds: "string",
  first: "rR",
  open: /[rR]["'](-*)\(/y,
  close: ([opened, dashes]) => `)${dashes}${opened[1]}`,
}
const R_NAME = "(?<name>[A-Za-z.][\\w.]*|`[^`\\n]+`)"

export const R: RuleSet = {
  spans: [HASH_COMMENT, R_RAW, LONG_DOUBLE_QUOTED, LONG_SINGLE_QUOTED],
  rules: [
    {
      kind: "class",
      pattern:
        /^[ \t]*(?:[\w.]+[ \t]*(?:<-|=)[ \t]*)?(?:\w+::)?(?:setClass|setRefClass|R6Class|new_class|ggproto)[ \t]*\(\s*["'](?<name>[\w.]+)["']/,
      extent: "parens",
    },
    {
      kind: "method",
      pattern:
        /^[ \t]*(?:methods::)?(?:setMethod|setReplaceMethod)[ \t]*\(\s*(?:f[ \t]*=[ \t]*)?["'](?<name>[^"'\n]+)["']\s*,\s*(?:signature[ \t]*[=(][ \t]*)?(?:c\([ \t]*)?(?:\w+[ \t]*=[ \t]*)?["'](?<owner>[\w.]+)["']/,
      extent: "parens",
    },
    {
      kind: "function",
      pattern:
        /^[ \t]*(?:\w+[ \t]*<-[ \t]*)?(?:methods::)?(?:setGeneric|setMethod|setValidity)[ \t]*\(\s*["'](?<name>[^"'\n]+)["']/,
      extent: "parens",
    },
    {
      kind: "function",
      pattern: new RegExp(`^[ \\t]*${R_NAME}[ \\t]*(?:<<?-|=|:=)\\s*(?:function\\b|\\\\)\\s*(?=\\()`),
      extent: "braces",
    },
    { kind: "variable", pattern: new RegExp(`^${R_NAME}[ \\t]*(?:<-|=(?!=))`), extent: "row", maxDepth: 0 },
  ],
  imports: /^[ \t]*(?:library|require|requireNamespace|source)[ \t]*\([ \t]*["']?([\w./-]+)/gm,
}

const POD: DelimitedSpan = { holds: "comment", first: "=", open: /(?<=^|\n)=[a-z]\w*/y, close: "\n=cut" }
const END_OF_PROGRAM: DelimitedSpan = {
  holds: "comment",
  first: "_",
  open: /(?<=\n)__(?:END|DATA)__(?=\r?\n)/y,
  close: "\u0000",
}
const WORD_COMMENT: DelimitedSpan = { ...HASH_COMMENT, open: /(?<=^|[\s;{}(])#/y }
const PERL_HEREDOC: DelimitedSpan = {
  holds: "string",
  first: "<",
  open: /<<~?["']?([A-Z_]\w*)["']?(?=[^\n]*\n)/y,
  close: ([, tag]) => `\n${tag}\n`,
}

export const PERL: RuleSet = {
  spans: [POD, END_OF_PROGRAM, WORD_COMMENT, PERL_HEREDOC, DOUBLE_QUOTED, SINGLE_QUOTED],
  rules: [
    {
      kind: "module",
      pattern: /^[ \t]*package[ \t]+(?<name>\w+(?:::\w+)*)[^;{\n]*(?=\{)/,
      extent: "braces",
    },
    {
      kind: "module",
      pattern: /^[ \t]*package[ \t]+(?<name>\w+(?:::\w+)*)/,
      extent: "section",
      level: 1,
    },
    {
      kind: "class",
      pattern: /^[ \t]*(?:class|role)[ \t]+(?<name>\w+(?:::\w+)*)/,
      extent: "braces",
      needsBlock: true,
    },
    {
      kind: "function",
      pattern: /^[ \t]*(?:(?:my|our|async)[ \t]+)?(?:sub|method|fun)[ \t]+(?<name>\w+(?:::\w+)*)/,
      extent: "braces",
    },
    {
      kind: "property",
      pattern: /^[ \t]*has[ \t]+["']?\+?(?<name>\w+)["']?[ \t]*(?:=>|,)/,
      extent: "statement",
    },
    { kind: "constant", pattern: /^[ \t]*use[ \t]+constant[ \t]+(?<name>[A-Z]\w*)/, extent: "statement" },
    { kind: "variable", pattern: /^[ \t]*our[ \t]+(?<name>[$@%]\w+)/, extent: "statement", maxDepth: 0 },
  ],
  imports: /^[ \t]*(?:use|require)[ \t]+([A-Z]\w*(?:::\w+)*)/gm,
  package: /^[ \t]*package[ \t]+([\w:]+)/m,
}

const PS_BLOCK: DelimitedSpan = { holds: "comment", first: "<", open: /<#/y, close: "#>" }
const PS_HERE: DelimitedSpan = {
  holds: "string",
  first: "@",
  open: /@(["'])[ \t]*\r?\n/y,
  close: ([, q]) => `\n${q}@`,
}
const PS_DOUBLE: DelimitedSpan = { ...LONG_DOUBLE_QUOTED, escape: "`" }
const PS_SINGLE: DelimitedSpan = { holds: "string", first: "'", open: /'/y, close: "'", isOneRow: true }

export const POWERSHELL: RuleSet = {
  spans: [PS_BLOCK, WORD_COMMENT, PS_HERE, PS_DOUBLE, PS_SINGLE],
  rules: [
    {
      kind: "function",
      pattern:
        /^[ \t]*(?:function|filter|workflow|configuration)[ \t]+(?:(?:global|script|local|private):)?(?<name>[\w:.-]+)/i,
      extent: "braces",
    },
    { kind: "class", pattern: /^[ \t]*class[ \t]+(?<name>\w+)/i, extent: "braces", needsBlock: true },
    { kind: "enum", pattern: /^[ \t]*enum[ \t]+(?<name>\w+)/i, extent: "braces", needsBlock: true },
    {
      kind: "method",
      pattern:
        /^[ \t]*(?:(?:static|hidden)[ \t]+){0,2}(?:\[[\w.[\]]+\][ \t]*)?(?!(?:if|while|for|foreach|switch|param|elseif|catch|until)\b)(?<name>\w+)[ \t]*(?=\()/i,
      extent: "braces",
      needsBlock: true,
      minDepth: 1,
    },
  ],
  imports: /^[ \t]*(?:Import-Module|using[ \t]+module)[ \t]+["']?([\w./\\-]+)/gim,
}
