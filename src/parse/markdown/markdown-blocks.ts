import { fromMarkdown } from "mdast-util-from-markdown"
import { frontmatterFromMarkdown } from "mdast-util-frontmatter"
import { gfmTableFromMarkdown } from "mdast-util-gfm-table"
import { frontmatter } from "micromark-extension-frontmatter"
import { gfmTable } from "micromark-extension-gfm-table"

export type MarkdownBlock = ReturnType<typeof fromMarkdown>["children"][number]

/** The top-level blocks of a page. */
export function blocksOf(text: string): MarkdownBlock[] {
  return fromMarkdown(text, OPTIONS).children
}

/**
 * Maximum length of a page in characters that the Markdown parser gets. micromark cannot be interrupted and takes
 * seconds for longer texts, which are lists or logs.
 */
const MAX_CHARS = 100_000

/**
 * Matches thirty nested quotes or lists on one line, or a list that is nested forty levels deep. micromark takes
 * quadratic time for both.
 */
const DEEP = /^(?:[ \t]{80,}(?:[-+*]|\d{1,9}[.)])[ \t]|(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+){30})/m

/**
 * Matches lines that begin a quote or list item, or that are a rule or an underline. micromark takes quadratic time for
 * them; for MAX_MARKED_LINES about a second.
 */
const MARKED_LINE = /^[ \t]*(?:[>+*=-]|\d{1,9}[.)])/gm
const MAX_MARKED_LINES = 2000

/** The reason why a text must not be given to the Markdown parser; null if it may. */
export function markdownRefusal(text: string): string | null {
  if (text.length > MAX_CHARS) return "too long for the Markdown parser"
  if (DEEP.test(text)) return "nested too deeply for the Markdown parser"
  return hasMore(MARKED_LINE, MAX_MARKED_LINES, text) ? "too many items for the Markdown parser" : null
}

function hasMore(pattern: RegExp, max: number, text: string): boolean {
  let found = 0
  for (const _ of text.matchAll(pattern)) if (++found > max) return true
  return false
}

/** Disables inline syntax, which does not affect chunks. Parsing then takes a quarter of the time. */
const BLOCKS_ONLY = {
  disable: {
    null: [
      "attention",
      "autolink",
      "codeText",
      "hardBreakEscape",
      "htmlText",
      "labelEnd",
      "labelStartImage",
      "labelStartLink",
      "characterEscape",
      "characterReference",
    ],
  },
}

const FRONT_MATTER = ["yaml", "toml"] as const
const OPTIONS = {
  extensions: [frontmatter([...FRONT_MATTER]), gfmTable(), BLOCKS_ONLY],
  mdastExtensions: [frontmatterFromMarkdown([...FRONT_MATTER]), gfmTableFromMarkdown()],
}
