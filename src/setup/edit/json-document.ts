import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import { NotEditable } from "./text-style.ts"

export type JsonPath = readonly (string | number)[]

/** Parses JSON with comments and trailing commas; undefined if there is no value yet. */
export function jsonTree(text: string): Node | undefined {
  const errors: ParseError[] = []
  let root: Node | undefined
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  } catch (error) {
    if (error instanceof RangeError) throw new NotEditable("it is nested too deeply")
    throw error
  }
  const [first] = errors
  if (first !== undefined) {
    throw new NotEditable(
      `it is not JSON: ${errorCodeText(printParseErrorCode(first.error))}`,
      lineAt(text, first.offset),
    )
  }
  return root
}

/** Node at a path of names and indexes; undefined if there is none. */
export function nodeAt(root: Node | undefined, path: JsonPath): Node | undefined {
  let node = root
  for (const step of path) {
    if (node === undefined) return undefined
    node = typeof step === "number" ? elementOf(node, step) : memberOf(node, step)?.children?.[1]
  }
  return node
}

/** Member with this name. Throws if there are several, because parsers would use only the last one. */
export function memberOf(object: Node, name: string): Node | undefined {
  if (object.type !== "object") return undefined
  const members = (object.children ?? []).filter((each) => each.children?.[0]?.value === name)
  if (members.length > 1) throw new NotEditable(`${JSON.stringify(name)} occurs ${members.length} times`)
  return members[0]
}

/** Line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\r|\n/).length
}

function elementOf(array: Node, index: number): Node | undefined {
  return array.type === "array" ? array.children?.[index] : undefined
}

/** The parser's error code as words: "ValueExpected" as "value expected". */
function errorCodeText(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase()
}
