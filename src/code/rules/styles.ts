import { BLOCK_COMMENT, LONG_DOUBLE_QUOTED, LONG_SINGLE_QUOTED, type RuleSet, SLASH_COMMENT } from "./rule.ts"

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
