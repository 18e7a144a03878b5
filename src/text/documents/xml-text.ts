/** What a scan of XML calls, in the order of the text. */
export type XmlReader = {
  /** Start of an element; one without content gets no `close`. `attributes` is the source text between name and end. */
  open?(name: string, attributes: string): void
  close?(name: string): void
  text?(text: string): void
}

/**
 * Calls the reader for each tag and text of an XML or XHTML page. Builds no tree, knows no document types and expands
 * only the five entities of XML and numbers, so that time and memory grow with the length of the text alone. What is
 * not well-formed is read as far as possible; never throws.
 */
export function scanXml(xml: string, reader: XmlReader): void {
  let at = 0
  while (at < xml.length) {
    const start = xml.indexOf("<", at)
    if (start !== at) reader.text?.(unescaped(xml.slice(at, start < 0 ? undefined : start)))
    if (start < 0) return
    at = markup(xml, start, reader)
  }
}

/** Reads what begins with "<" and returns the position after it. */
function markup(xml: string, start: number, reader: XmlReader): number {
  if (xml.startsWith("<![CDATA[", start)) {
    const end = xml.indexOf("]]>", start)
    reader.text?.(xml.slice(start + "<![CDATA[".length, end < 0 ? undefined : end))
    return end < 0 ? xml.length : end + "]]>".length
  }
  if (xml.startsWith("<!--", start)) return after(xml, "-->", start)
  const end = xml.indexOf(">", start)
  if (end < 0) return xml.length
  tag(xml.slice(start + 1, end), reader)
  return end + 1
}

/** A tag without its brackets; declarations are passed over. */
function tag(inner: string, reader: XmlReader): void {
  if (inner.startsWith("/")) reader.close?.(inner.slice(1).trim())
  else if (!inner.startsWith("!") && !inner.startsWith("?")) {
    const bare = inner.endsWith("/") ? inner.slice(0, -1) : inner
    const blank = bare.search(/\s/)
    reader.open?.(blank < 0 ? bare : bare.slice(0, blank), blank < 0 ? "" : bare.slice(blank))
  }
}

function after(xml: string, mark: string, from: number): number {
  const end = xml.indexOf(mark, from)
  return end < 0 ? xml.length : end + mark.length
}

/** The value of an attribute; null if there is none. */
export function attribute(attributes: string, name: string): string | null {
  const at = attributes.search(new RegExp(`\\s${name}\\s*=\\s*["']`))
  if (at < 0) return null
  const quote = /["']/.exec(attributes.slice(at))!
  const from = at + quote.index + 1
  const end = attributes.indexOf(quote[0], from)
  return unescaped(attributes.slice(from, end < 0 ? undefined : end))
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
}

function unescaped(text: string): string {
  if (!text.includes("&")) return text
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, number, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code = number === undefined ? Number.parseInt(hex, 16) : Number(number)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
