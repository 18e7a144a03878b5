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

/**
 * Every part that may repeat ends after so many characters, or at what begins it anew: whoever wrote the README must
 * not decide how long a server is busy.
 */
const TARGET = String.raw`(?:\([^)]{0,1000}\)|\[[^\][]{0,200}\])`
const LABEL = String.raw`\[([^\][]{0,200})\]`
const PICTURE = new RegExp(String.raw`\[?!\[[^\][]{0,200}\]${TARGET}\]?${TARGET}?`, "g")
// `string[]` is no link.
const LINK = new RegExp(String.raw`(?!\[\](?![[(]))${LABEL}${TARGET}?`, "g")

/** Without headings, code, comments, pictures and tags; what stood in HTML's blocks is a paragraph. */
function unmarked(text: string): string {
  const prose = text
    .replace(/`([^`<\n]{1,200}?)\s{0,20}<[^>\n]{0,1000}>`__?/g, "$1")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .replace(/^(`{3,20}|~{3,20})[\s\S]*?^\1.*$/gm, "")
  return withoutMatters(prose)
    .replace(PICTURE, "")
    .replace(/<a\b[^<>]*>([\s\S]{0,1000}?)<\/a>/gi, (_, inner: string) => `[${lineOf(inner)}]()`)
    .replace(
      /<\/?(?:p|div|h\d|td|tr|table|li|ul|ol|br|center|details|summary|picture|blockquote)\b[^<>]*>/gi,
      "\n\n",
    )
    .replace(/<\/?[a-z][^<>]*>/gi, "")
    .replace(/^#+ .*$/gm, "\n")
    .replace(UNDERLINED, "\n")
    .replace(/&nbsp;/g, " ")
    .replace(/&amp;/g, "&")
}

/** A link is one, whatever blocks it holds. */
function lineOf(html: string): string {
  return html
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
}

const UNDERLINED = /^[^\n]+\n[=\-~^]{3,}[ \t]*$/gm

/** Without sections that by their headings say who pays, how to install it, where to ask, and what is below those. */
function withoutMatters(text: string): string {
  const marks: string[] = []
  let left: number | null = null
  // An underlined heading as a marked one: which line stands for which depth, the order tells.
  const lines = text
    .replace(UNDERLINED, (heading) => {
      const mark = heading.trimEnd().at(-1)!
      if (!marks.includes(mark)) marks.push(mark)
      return `${"#".repeat(marks.indexOf(mark) + 1)} ${heading.split("\n")[0]!.trim()}`
    })
    .split("\n")
  const kept = lines.filter((line) => {
    const [, signs, title] = /^(#{1,6}) (.{0,200})/.exec(line) ?? []
    if (signs !== undefined && (left === null || signs.length <= left))
      left = MATTERS.test(title!.replace(/[^\p{L} ]+/gu, "").trim()) ? signs.length : null
    return left === null
  })
  return kept.join("\n")
}

const MATTERS = new RegExp(
  `^(?:our |the |become an? |for )?(?:${[
    String.raw`(?:\w+ )?(?:sponsors?(?:hip)?|backers?|supporters?|donations?|patrons)`,
    "funding|enterprise|licen[cs]e|credits|thanks|acknowledge?ments|contribut(?:ing|ors?|ions?)",
    "support|getting help|help|questions?|issues(?: and contributions?)?|security(?: policy)?|community",
    "getting started|quick ?start|install(?:ation|ing)?|usage|documentation|docs|links|(?:table of )?contents",
    "news|announcements?",
  ].join("|")})$`,
  "iu",
)

/** A paragraph as it reads; null for a list, a table, a row of links, a notice. */
function proseOf(paragraph: string): string | null {
  const text = paragraph.trim().slice(0, LONGEST_PARAGRAPH)
  if (!PROSE.test(text) || NO_PROSE.test(text) || linkShare(text) > MOST_LINKED) return null
  const plain = text
    .replace(LINK, "$1")
    .replace(/\*\*|__/g, "")
    .replace(/(?<!\w)([*_])([^*_\n]+)\1(?!\w)/g, "$2")
    .replace(/\s+/g, " ")
    .trim()
  return plain.split(" ").length < LEAST_WORDS ? null : plain
}

const LONGEST_PARAGRAPH = 2_000
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
    String.raw`^(?:please|check out|see|visit|read) (?:\S+ ){0,3}(?:\[|(?:documentation|docs|website|wiki)\b)`,
    String.raw`\b(?:is|been|be|are) (?:deprecated|archived|discontinued|no longer)\b`,
    String.raw`\b(?:sponsor|donat|fund(?:ed|ing)\b|licensed under|all rights reserved|copyright)`,
  ].join("|"),
  "iu",
)

/** How much of the letters stands in links. */
function linkShare(text: string): number {
  const linked = Array.from(text.matchAll(LINK), ([, label]) => label).join("")
  return lettersIn(linked) / Math.max(1, lettersIn(text.replace(LINK, "$1")))
}

function lettersIn(text: string): number {
  return text.match(/\p{L}/gu)?.length ?? 0
}
