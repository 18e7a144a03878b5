import type { DocumentText } from "./document-text.ts"
import type { DocumentWork } from "./document-work.ts"
import { scanXml } from "./scan-xml.ts"

const TEXT = /^(?:title|desc|text|foreignObject)$/
const HIDDEN = /^(?:style|script)$/

/**
 * The titles, descriptions and labels of a drawing, each in the line in which it stands in the file; other lines are
 * empty. "media" if it has none, "too large" if the text has too many characters.
 */
export function svgText(xml: string, work: DocumentWork): DocumentText {
  const { maxChars } = work.limits
  const lines: string[] = []
  let chars = 0
  let depth = 0
  let hidden = 0
  const add = (text: string, row: number) => {
    if (chars > maxChars) return
    while (lines.length <= row) {
      lines.push("")
      chars++
    }
    lines[row] += text
    chars += text.length
  }
  scanXml(xml, work, {
    open(name, attributes, row) {
      const local = withoutPrefix(name)
      if (HIDDEN.test(local)) hidden++
      if (depth > 0 && isPlaced(local, attributes)) add(" ", row)
      if (TEXT.test(local)) depth++
    },
    text(text, endRow) {
      if (depth === 0 || hidden > 0) return
      const parts = text.split("\n")
      for (const [at, part] of parts.entries()) add(part, endRow - (parts.length - 1 - at))
    },
    close(name, row) {
      const local = withoutPrefix(name)
      if (HIDDEN.test(local)) hidden--
      if (!TEXT.test(local)) return
      depth--
      add(" ", row)
    },
  })
  if (chars > maxChars) return "too large"
  const text = lines
    .map((line) => line.replace(/\s+/g, " ").trim())
    .join("\n")
    .trimEnd()
  return text === "" ? "media" : { text: `${text}\n` }
}

/** True for an element whose text does not continue the word before it. */
function isPlaced(name: string, attributes: Readonly<Record<string, string>>): boolean {
  return name === "tspan" ? ["x", "y", "dx", "dy"].some((each) => each in attributes) : BLOCK.test(name)
}

const BLOCK = /^(?:p|div|li|br|td|th)$/

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(":") + 1)
}
