import { SaxesParser } from "saxes"
import type { DocumentWork } from "./document-work.ts"

/**
 * Callbacks for scanning XML. They are called in the order of the text. `row` is the 0-based line in which the tag or the
 * text ends.
 */
type XmlReader = {
  open?(name: string, attributes: Readonly<Record<string, string>>, row: number): void
  /** Also called for elements without content. */
  close?(name: string, row: number): void
  text?(text: string, row: number): void
}

/** Maximum number of errors that are tolerated, because pages of e-books are often HTML and not valid XML. */
const MAX_ERRORS = 1_000
const MAX_DEPTH = 1_000

/**
 * Calls the reader for each tag and each text of an XML or XHTML page. The parser builds no tree and reads no document
 * types. It expands only the five entities of XML, the non-breaking space and numeric entities. Text that is not
 * well-formed is read as far as possible; the function never throws. `work` counts the tags.
 */
export function scanXml(xml: string, work: DocumentWork, reader: XmlReader): void {
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.ENTITIES["nbsp"] = " "
  let errors = 0
  let depth = 0
  parser.on("error", () => {
    if (++errors > MAX_ERRORS) throw new Error("not XML")
  })
  parser.on("opentag", ({ name, attributes }) => {
    work.step()
    if (++depth > MAX_DEPTH) throw new Error("nested too deeply")
    reader.open?.(name, attributes, parser.line - 1)
  })
  parser.on("closetag", ({ name }) => {
    depth--
    reader.close?.(name, parser.line - 1)
  })
  parser.on("text", (text) => reader.text?.(text, parser.line - 1))
  parser.on("cdata", (text) => reader.text?.(text, parser.line - 1))
  try {
    parser.write(xml).close()
  } catch {
    // The scan ends with an exception when the text exceeds one of the limits.
  }
}
