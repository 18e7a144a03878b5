import { BLOCK_COMMENT, type DelimitedSpan, HASH_COMMENT, LONG_DOUBLE_QUOTED, type RuleSet } from "./rule.ts"

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

const NIX_STRING: DelimitedSpan = { holds: "string", first: "'", open: /''/y, close: "''" }
const NIX_KEY = '[\\w\'-]+|"[^"\\n]+"'

export const NIX: RuleSet = {
  spans: [HASH_COMMENT, BLOCK_COMMENT, LONG_DOUBLE_QUOTED, NIX_STRING],
  rules: [
    {
      kind: "function",
      pattern: new RegExp(
        `^[ \\t]*(?<name>(?:${NIX_KEY})(?:\\.(?:${NIX_KEY})){0,6})[ \\t]*=(?=\\s*(?:\\{[^{}]*\\}|[\\w-]+)\\s*(?:@\\s*\\w+)?\\s*:\\s)`,
      ),
      extent: "statement",
      maxDepth: 3,
    },
    {
      kind: "property",
      pattern: new RegExp(`^[ \\t]*(?<name>(?:${NIX_KEY})(?:\\.(?:${NIX_KEY})){0,6})[ \\t]*=(?!=)`),
      extent: "statement",
      maxDepth: 3,
    },
  ],
}
