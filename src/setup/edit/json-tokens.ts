import { createScanner, type Node } from "jsonc-parser"

// Values of the const enum SyntaxKind of the parser. They are copied, because a compiler that reads one file at a
// time cannot resolve a const enum of another package.
const COMMA = 5
const LINE_COMMENT = 12
const BLOCK_COMMENT = 13
const END = 17

/** The commas and comments between two values of a JSON text. */
type Separator = {
  /** Offset of the first comma; null if there is none. */
  readonly comma: number | null
  /** End of the last comma or comment; the start offset if there is neither. */
  readonly end: number
  /** True if the last comma or comment is a line comment. */
  readonly endsInLineComment: boolean
  readonly hasComment: boolean
}

export function separatorBetween(text: string, from: number, to: number): Separator {
  const scanner = createScanner(text, false)
  scanner.setPosition(from)
  let separator: Separator = { comma: null, end: from, endsInLineComment: false, hasComment: false }
  while (scanner.getPosition() < to) {
    const kind: number = scanner.scan()
    if (kind === END || scanner.getTokenOffset() >= to) break
    const end = scanner.getTokenOffset() + scanner.getTokenLength()
    if (kind === COMMA) {
      separator = {
        ...separator,
        comma: separator.comma ?? scanner.getTokenOffset(),
        end,
        endsInLineComment: false,
      }
    } else if (kind === LINE_COMMENT || kind === BLOCK_COMMENT) {
      const endsInLineComment = kind === LINE_COMMENT
      separator = { ...separator, end, endsInLineComment, hasComment: true }
    }
  }
  return separator
}

/** Offsets of the content between the brackets of an object or list. */
export function innerOf(container: Node): { readonly from: number; readonly to: number } {
  return { from: container.offset + 1, to: container.offset + container.length - 1 }
}

export function endOf(node: Node): number {
  return node.offset + node.length
}
