const MAX_DOC_CHARS = 300

/** What is read for it: a licence may precede nothing, and rules of stars are long. */
const MAX_READ_CHARS = 4000

/** Comment markers at the start of a line, of every language we parse. */
const OPENING =
  /^\s*(?:\/\/[/!]?|\/\*[*!]?|\(\*\*?|\{-\s*\|?|<!--+|--\[=*\[|--+\s*\|?|#\[=*|<#|#+['!]?|;+|%+|=begin\b|[rubfRUBF]{0,2}(?:"""|'''|")|~[sS]"""|@(?:module|type)?doc\b)/
const CONTINUED = /^\s*\*(?!\/)\s?/
const CLOSING = /(?:\*+\/|\*+\)|-\}|--+>|\]=*\]|"""|'''|=end|#>)\s*$/
/** Last characters that CLOSING can end with. */
const CLOSERS = "/)}]>\"'d"

/** Tags that open the reference part: @param, :param x:, \param, Args:, Parameters. */
const REFERENCE =
  /^(?:@\w+|:\w+[^:]*:|\\(?:param|return)\w*|(?:Args|Arguments|Parameters|Returns|Raises|Examples?|Example usage):?$|# (?:Examples?|Errors|Panics|Safety)$|```)/

const MARKUP =
  /<\/?(?:summary|p|para|remarks|code|pre|c)\s*\/?>|^[\\@](?:brief|dev|notice|title|summary|desc(?:ription)?)\s+/gi

/** What a doc string opens with to say what it is about: a name or a call, alone. */
const SIGNATURE = /^[\w.!]+(?:\(.*\))?$/

/** First paragraph of a comment or doc string without its markers, at most 300 characters; null if none. */
export function docParagraph(raw: string): string | null {
  let paragraph = ""
  let signature = ""
  for (const line of raw.slice(0, MAX_READ_CHARS).split("\n")) {
    const text = withoutMarkers(line)
    if (text === "" && SIGNATURE.test(paragraph)) {
      signature ||= paragraph
      paragraph = ""
    }
    if (text === "" && paragraph === "") continue
    if (text === "" || REFERENCE.test(text) || paragraph.length > MAX_DOC_CHARS) break
    paragraph += paragraph === "" ? text : ` ${text}`
  }
  const doc = paragraph || signature
  return /[\p{L}\p{N}]/u.test(doc) ? shorten(doc.replace(/\s+/g, " ")) : null
}

function withoutMarkers(line: string): string {
  const text = line.replace(OPENING, "").replace(CONTINUED, "").trim()
  const bare = CLOSERS.includes(text.at(-1) ?? "") ? text.replace(CLOSING, "").trimEnd() : text
  return /[<@\\]/.test(bare) ? bare.replace(MARKUP, "").trim() : bare
}

function shorten(text: string): string {
  if (text.length <= MAX_DOC_CHARS) return text
  const cut = text.lastIndexOf(" ", MAX_DOC_CHARS - 1)
  return `${text.slice(0, cut > MAX_DOC_CHARS / 2 ? cut : MAX_DOC_CHARS - 1)}…`
}
