import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import { Unfit } from "./unfit.ts"

export type JsonPath = readonly (string | number)[]

/** The tree of a JSON text, comments and trailing commas allowed; undefined where it holds no value yet. */
export function jsonTree(text: string): Node | undefined {
  const errors: ParseError[] = []
  let root: Node | undefined
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  } catch (error) {
    if (error instanceof RangeError) throw new Unfit("it is nested too deeply")
    throw error
  }
  const [first] = errors
  if (first !== undefined) {
    throw new Unfit(
      `it is not JSON: ${wordsOf(printParseErrorCode(first.error))}`,
      lineAt(text, first.offset),
    )
  }
  return root
}

/** The node at a path of names and positions; undefined where there is none. */
export function nodeAt(root: Node | undefined, path: JsonPath): Node | undefined {
  let node = root
  for (const step of path) {
    if (node === undefined) return undefined
    node = typeof step === "number" ? elementOf(node, step) : memberOf(node, step)?.children?.[1]
  }
  return node
}

/** A member by its name; the last of several is the one that a parser would take, so several are refused. */
export function memberOf(object: Node, name: string): Node | undefined {
  if (object.type !== "object") return undefined
  const found = (object.children ?? []).filter((each) => each.children?.[0]?.value === name)
  if (found.length > 1) throw new Unfit(`${JSON.stringify(name)} is there ${found.length} times`)
  return found[0]
}

/** Where in a text an offset is, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\r|\n/).length
}

function elementOf(array: Node, index: number): Node | undefined {
  return array.type === "array" ? array.children?.[index] : undefined
}

/** "ValueExpected" as a person would say it. */
function wordsOf(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase()
}
