import type { DefinitionRule, DelimitedSpan, RuleSet } from "./rule.ts"

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

const TEX_COMMENT: DelimitedSpan = { holds: "comment", first: "%", open: /(?<!\\)%/y, close: null }
const TEX_LEVELS = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph"]

export const TEX: RuleSet = {
  spans: [TEX_COMMENT],
  rules: [
    ...TEX_LEVELS.map((name, at) =>
      section(new RegExp(`^[ \\t]*\\\\${name}\\*?(?:\\[[^\\]\\n]*\\])?\\{(?<name>[^{}\\n]+)\\}`), at + 1),
    ),
    {
      kind: "macro",
      pattern: /^[ \t]*\\(?:(?:re)?newcommand|providecommand|DeclareMathOperator)\*?\{?(?<name>\\\w+)/,
      extent: "row",
    },
  ],
}
