import { SaxesParser } from "saxes"

/** Callbacks of a scan of XML, called in the order of the text. */
export type XmlReader = {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  /** Called for elements without content as well. */
  close?(name: string): void
  text?(text: string): void
}

/** Pages of e-books are often HTML rather than XML, so some errors are passed over. */
const MAX_ERRORS = 1_000
const MAX_DEPTH = 1_000

/**
 * Calls the reader for each tag and text of an XML or XHTML page. The parser builds no tree, reads no document types and
 * expands only the five entities of XML, a space and numbers. What is not well-formed is read as far as possible; never
 * throws.
 */
export function scanXml(xml: string, reader: XmlReader): void {
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.ENTITIES["nbsp"] = " "
  let errors = 0
  let depth = 0
  parser.on("error", () => {
    if (++errors > MAX_ERRORS) throw new Error("not XML")
  })
  parser.on("opentag", ({ name, attributes }) => {
    if (++depth > MAX_DEPTH) throw new Error("nested too deeply")
    reader.open?.(name, attributes)
  })
  parser.on("closetag", ({ name }) => {
    depth--
    reader.close?.(name)
  })
  parser.on("text", (text) => reader.text?.(text))
  parser.on("cdata", (text) => reader.text?.(text))
  try {
    parser.write(xml).close()
  } catch {
    // One of the limits above has ended the scan.
  }
}
