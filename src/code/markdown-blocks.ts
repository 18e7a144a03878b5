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

/** micromark cannot be stopped and takes seconds then; such a text is a list or a log anyway. */
const MAX_CHARS = 100_000

/** Thirty containers on one line, or a list forty levels deep: micromark is quadratic in both. */
const DEEP = /^(?:[ \t]{80,}(?:[-+*]|\d{1,9}[.)])[ \t]|(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+){30})/m

/** Why a text is too much for the Markdown parser; null where it is not. */
export function tooMuchMarkdown(text: string): string | null {
  if (text.length > MAX_CHARS) return "too long for the Markdown parser"
  return DEEP.test(text) ? "nested too deeply for the Markdown parser" : null
}

/** What is inside a paragraph cuts nothing, and takes a quarter of the time. */
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
