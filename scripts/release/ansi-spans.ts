/** A text in one style; `column` is the one in which it begins. */
export type Span = { readonly text: string; readonly column: number; readonly style: Style }
export type Style = {
  readonly color: number | null
  readonly bold: boolean
  readonly dim: boolean
  readonly underline: boolean
}

const PLAIN: Style = { color: null, bold: false, dim: false, underline: false }
// Escape, "[", parameters, letter. Only "m" sets colours; the others move the cursor, and do not occur here.
const ESCAPES = /\u001b\[([0-9;?]*)([A-Za-z])/g

/** The lines that a program has written to a terminal, split into spans of one style. */
export function spansOf(written: string): Span[][] {
  let style = PLAIN
  return written.split(/\r?\n/).map((line) => {
    const spans: Span[] = []
    let column = 0
    const put = (text: string) => {
      if (text !== "") spans.push({ text, column, style })
      column += Bun.stringWidth(text)
    }
    let at = 0
    for (const match of line.matchAll(ESCAPES)) {
      put(line.slice(at, match.index))
      if (match[2] === "m") style = styled(style, match[1]!.split(";").map(Number))
      at = match.index + match[0].length
    }
    put(line.slice(at))
    return spans
  })
}

function styled(style: Style, codes: readonly number[]): Style {
  return Object.assign({}, style, ...codes.map(changeOf))
}

function changeOf(code: number): Partial<Style> {
  if (code === 0) return PLAIN
  if (code === 1) return { bold: true }
  if (code === 2) return { dim: true }
  if (code === 22) return { bold: false, dim: false }
  if (code === 4) return { underline: true }
  if (code === 24) return { underline: false }
  if (code === 39) return { color: null }
  if (code >= 30 && code <= 37) return { color: code - 30 }
  return code >= 90 && code <= 97 ? { color: code - 82 } : {}
}
