const MAX_DOC_CHARS = 300

/** Comment markers at the start of a line, of every language we parse. */
const OPENING =
  /^\s*(?:\/\/[/!]?|\/\*[*!]?|\(\*\*?|\{-\s*\|?|--\[=*\[|--+\s*\|?|#\[=*|#+!?|;+|%+|=begin\b|[rubfRUBF]{0,2}(?:"""|'''|")|~[sS]"""|@(?:module|type)?doc\b)/
const CONTINUED = /^\s*\*(?!\/)\s?/
const CLOSING = /(?:\*+\/|\*+\)|-\}|\]=*\]|"""|'''|=end)\s*$/

/** Tags that open the reference part: @param, :param x:, \param, Args:, Parameters. */
const REFERENCE =
  /^(?:@\w+|:\w+[^:]*:|\\(?:param|return)\w*|(?:Args|Arguments|Parameters|Returns|Raises|Examples?|Example usage):?$|# (?:Examples?|Errors|Panics|Safety)$|```)/

const MARKUP = /<\/?(?:summary|p|para|remarks|code|pre|c)\s*\/?>|^[\\@]brief\s+/gi

/** First paragraph of a comment or doc string without its markers, at most 300 characters; null if none. */
export function docParagraph(raw: string): string | null {
  const words: string[] = []
  for (const line of raw.split("\n")) {
    const text = withoutMarkers(line)
    if (text === "") {
      if (words.length > 0) break
      continue
    }
    if (REFERENCE.test(text)) break
    words.push(text)
  }
  const paragraph = words.join(" ").replace(/\s+/g, " ").trim()
  return /[\p{L}\p{N}]/u.test(paragraph) ? shorten(paragraph) : null
}

function withoutMarkers(line: string): string {
  return line.replace(OPENING, "").replace(CONTINUED, "").replace(CLOSING, "").replace(MARKUP, "").trim()
}

function shorten(text: string): string {
  if (text.length <= MAX_DOC_CHARS) return text
  const cut = text.lastIndexOf(" ", MAX_DOC_CHARS - 1)
  return `${text.slice(0, cut > MAX_DOC_CHARS / 2 ? cut : MAX_DOC_CHARS - 1)}…`
}
