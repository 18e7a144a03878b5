const LONGEST_README = 20_000
/** What comes later says how to install it, what is new, who pays. */
const MOST_PARAGRAPHS = 12

/** What a README says a project is: the first paragraph that defines its name, else the first that is prose. */
export function readmeAbout(readme: string, name: string): string | null {
  const paragraphs = unmarked(readme.slice(0, LONGEST_README)).split(/\n\s*\n/)
  const prose = paragraphs.flatMap((each) => proseOf(each) ?? []).slice(0, MOST_PARAGRAPHS)
  const bare = RegExp.escape(name.replace(/\.\w+$/, ""))
  // `**Rich** is a Python library`, `The Rich package is an …`.
  const defines = new RegExp(`^\\W*(?:\\w+ ){0,2}${bare}\\b[^.\\n]{0,40}?\\b(?:is|are) (?:a|an|the)\\b`, "i")
  return prose.find((each) => defines.test(each)) ?? prose[0] ?? null
}

/** Without headings, code, comments, pictures and tags; what stood in HTML's blocks is a paragraph. */
function unmarked(text: string): string {
  return text
    .replace(/`([^`<\n]+?)\s*<[^>\n]*>`__?/g, "$1")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/^(`{3,}|~{3,})[\s\S]*?^\1.*$/gm, "")
    .replace(/\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])\]?(?:\([^)]*\)|\[[^\]]*\])?/g, "")
    .replace(/<a\b[^>]*>([\s\S]*?)<\/a>/gi, "[$1]()")
    .replace(
      /<\/?(?:p|div|h\d|td|tr|table|li|ul|ol|br|center|details|summary|picture|blockquote)\b[^>]*>/gi,
      "\n\n",
    )
    .replace(/<\/?[a-z][^<>]*>/gi, "")
    .replace(/^#+ .*$/gm, "\n")
    .replace(/^[^\n]+\n[=\-~^]{3,}[ \t]*$/gm, "\n")
    .replace(/&nbsp;/g, " ")
    .replace(/&amp;/g, "&")
}

/** A paragraph as it reads; null for a list, a table, a row of links, a notice. */
function proseOf(paragraph: string): string | null {
  const text = paragraph.trim()
  if (!PROSE.test(text) || NO_PROSE.test(text) || linkShare(text) > MOST_LINKED) return null
  const plain = text
    .replace(LINK, "$1$2")
    .replace(/\*\*|__/g, "")
    .replace(/(?<!\w)([*_])([^*_\n]+)\1(?!\w)/g, "$2")
    .replace(/\s+/g, " ")
    .trim()
  return plain.split(" ").length < LEAST_WORDS ? null : plain
}

const LEAST_WORDS = 4
const MOST_LINKED = 0.6
const PROSE = /^[\p{L}`*_"'[].{20}/su
/** Lists, tables, fields and addresses; references of links; other languages to read it in; what is going on. */
const NO_PROSE = new RegExp(
  [
    String.raw`^(?:[*+-]|\d+\.)\s`,
    String.raw`^\[[^\]]*\]:`,
    "^https?:",
    String.raw`^[^\n]*\|[^\n]*\|`,
    String.raw`^(?:languages?|translations?|read (?:this )?in)\b.{0,20}\[`,
    String.raw`\b(?:version|translation)s? of this (?:document|readme)\b`,
    String.raw`^(?:note|notice|warning|important|caution|disclaimer|announcement|news)\b`,
    String.raw`\b(?:is|been|be|are) (?:deprecated|archived|discontinued|no longer)\b`,
    String.raw`\b(?:sponsor|donat|fund(?:ed|ing)\b|licensed under|all rights reserved|copyright)`,
  ].join("|"),
  "iu",
)

const LINK = /\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|\[([^\]]+)\]/g

/** How much of the letters stands in links. */
function linkShare(text: string): number {
  const linked = Array.from(text.matchAll(LINK), ([, one, other]) => one ?? other ?? "").join("")
  return lettersIn(linked) / Math.max(1, lettersIn(text.replace(LINK, "$1$2")))
}

function lettersIn(text: string): number {
  return text.match(/\p{L}/gu)?.length ?? 0
}
