import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import { beginsLine, indentAt, indentUnit, lineEndOf, NotEditable } from "./text-style.ts"

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

/**
 * State of an object or list before aman inserted into it: `was` is null if it did not exist, otherwise the white
 * space that it contained.
 */
export type FilledContainer = { readonly path: JsonPath; readonly was: string | null }

export type InsertResult = { readonly text: string; readonly filled: readonly FilledContainer[] }

/** A member of an object, or without a key an element of an array. */
export type JsonMember = { readonly key?: string; readonly value: unknown }

/**
 * Adds a member at the end of the object or list at a path, and creates missing objects. Only inserts text: all
 * existing bytes stay, in their order.
 */
export function insertJson(text: string, path: readonly string[], entry: JsonMember): InsertResult {
  const root = jsonTree(text)
  const kind = entry.key === undefined ? "array" : "object"
  if (root === undefined) return firstValue(text, path, entry)
  const { container, depth } = deepest(text, root, path, kind)
  const missing = path.slice(depth)
  const [key, ...inside] = missing
  const whole = key === undefined ? entry : { key, value: nested(inside, entry) }
  const blank = blankOf(text, container)
  return {
    text: appendMember(text, container, whole),
    filled: [
      ...(blank === null ? [] : [{ path: path.slice(0, depth), was: blank }]),
      ...missing.map((_, index) => ({ path: path.slice(0, depth + index + 1), was: null })),
    ],
  }
}

/** Inserts the first value into a file that is empty or has only comments. */
function firstValue(text: string, path: readonly string[], entry: JsonMember): InsertResult {
  const end = lineEndOf(text)
  const value = memberText({ value: nested(path, entry) }, "  ").replaceAll("\n", end)
  const ownLine = text === "" || /[\r\n]$/.test(text)
  return {
    text: ownLine ? `${text}${value}${end}` : `${text}${end}${value}`,
    filled: [[], ...path.map((_, index) => path.slice(0, index + 1))].map((at) => ({ path: at, was: null })),
  }
}

function nested(path: readonly string[], { key, value }: JsonMember): unknown {
  const innermost: unknown = key === undefined ? [value] : { [key]: value }
  return path.reduceRight((inner, name) => ({ [name]: inner }), innermost)
}

/** The deepest existing container on the path, and the number of steps to it. */
function deepest(text: string, root: Node, path: readonly string[], kind: "array" | "object") {
  let container = root
  for (let depth = 0; ; depth++) {
    const wanted = depth === path.length ? kind : "object"
    if (container.type !== wanted) {
      const name = depth === 0 ? "the file" : JSON.stringify(path[depth - 1])
      const article = (type: string) => (/^[aeo]/.test(type) ? `an ${type}` : `a ${type}`)
      throw new NotEditable(
        `${name} is ${article(container.type)}, but must be ${article(wanted)}`,
        lineAt(text, container.offset),
      )
    }
    const next = depth === path.length ? undefined : memberOf(container, path[depth]!)?.children?.[1]
    if (next === undefined) return { container, depth }
    container = next
  }
}

/** The white space inside an empty object or list; null if it is not empty. */
export function blankOf(text: string, container: Node): string | null {
  const { from, to } = innerOf(container)
  const inner = text.slice(from, to)
  return inner.trim() === "" ? inner : null
}

function appendMember(text: string, container: Node, entry: JsonMember): string {
  const { from, to } = innerOf(container)
  const last = container.children?.at(-1)
  const start = last === undefined ? from : endOf(last)
  const { comma, end } = separatorBetween(text, start, to)
  const isBlank = blankOf(text, container) !== null
  const written =
    isBlank || text.slice(from, to).includes("\n")
      ? onLine(text, container, entry)
      : inLine(text, container, entry)
  const before = last === undefined || comma !== null ? "" : ","
  const after = last !== undefined && comma !== null ? "," : ""
  const closing =
    isBlank && !/[\r\n]/.test(text.slice(from, to)) ? lineEndOf(text) + indentAt(text, container.offset) : ""
  return text.slice(0, start) + before + text.slice(start, end) + written + after + closing + text.slice(end)
}

/** Inserts the member on its own line, indented like its neighbours. */
function onLine(text: string, container: Node, entry: JsonMember): string {
  const unit = indentUnit(text)
  const last = container.children?.at(-1)
  const isOwnLine = last !== undefined && beginsLine(text, last.offset)
  const indent = isOwnLine ? indentAt(text, last.offset) : indentAt(text, container.offset) + unit
  const lines = memberText(entry, unit).split("\n")
  return lines.map((line) => lineEndOf(text) + indent + line).join("")
}

/** Inserts the member on the line of its neighbours, with the same spacing. */
function inLine(text: string, container: Node, entry: JsonMember): string {
  const { from, to } = innerOf(container)
  const isSpaced = /[,:{[]\s/.test(text.slice(from - 1, to)) || /\*\//.test(text.slice(from, to))
  const value = memberText(entry, isSpaced ? " " : "")
  return isSpaced ? ` ${value.replace(/\n */g, " ")}` : value
}

function memberText({ key, value }: JsonMember, unit: string): string {
  // Writes a list with one string on one line, as people do.
  const json = JSON.stringify(value, null, unit).replace(/\[\n\s*("(?:[^"\\]|\\.)*")\n\s*\]/g, "[$1]")
  if (key === undefined) return json
  return `${JSON.stringify(key)}:${unit === "" ? "" : " "}${json}`
}

type TextRange = readonly [from: number, to: number]

/** Removes a member or an element with its comma and the white space before it; comments stay. */
export function removeJson(text: string, path: JsonPath): string {
  const value = nodeAt(jsonTree(text), path)
  if (value === undefined) return text
  if (path.length === 0) return withoutRoot(text, value)
  const item = value.parent?.type === "property" ? value.parent : value
  const container = item.parent!
  return cutOut(text, cutsOf(text, container, item))
}

/**
 * Restores objects and lists that did not exist or were empty before setup, unless something else was added to them.
 */
export function restoreContainers(text: string, filled: readonly FilledContainer[]): string {
  const deepestFirst = filled.toSorted((one, other) => other.path.length - one.path.length)
  return deepestFirst.reduce((now, { path, was }) => {
    const node = nodeAt(jsonTree(now), path)
    if (node === undefined || blankOf(now, node) === null) return now
    if (was === null) return removeJson(now, path)
    const { from, to } = innerOf(node)
    return now.slice(0, from) + was + now.slice(to)
  }, text)
}

function cutsOf(text: string, container: Node, item: Node): TextRange[] {
  const siblings = container.children!
  const index = siblings.indexOf(item)
  const isLast = index === siblings.length - 1
  const inner = innerOf(container)
  const end = endOf(item)
  const before = index === 0 ? inner.from : endOf(siblings[index - 1]!)
  const after = separatorBetween(text, end, isLast ? inner.to : siblings[index + 1]!.offset)
  const last = after.comma === null ? end : after.comma + 1
  const start = removalStart(text, before, item.offset, last)
  if (after.comma !== null) {
    const isClose = text.slice(end, after.comma).trim() === ""
    return isClose
      ? [[start, last]]
      : [
          [start, end],
          [after.comma, last],
        ]
  }
  const itemRange: TextRange = [start, end]
  const { comma } = separatorBetween(text, before, item.offset)
  return comma === null ? [itemRange] : [[comma, comma + 1], itemRange]
}

/**
 * Start of the range to remove. It includes the white space before the value, except after a line comment, which
 * would then comment out the text that follows.
 */
function removalStart(text: string, before: number, at: number, end: number): number {
  const { end: spaceFrom, endsInLineComment } = separatorBetween(text, before, at)
  const followedByLine = /^[ \t]*(?:[\r\n]|$)/.test(text.slice(end))
  return endsInLineComment && !followedByLine ? at : spaceFrom
}

/** Removes the root value that setup added to a file without one, and the line end that was added after it. */
function withoutRoot(text: string, root: Node): string {
  const before = text.slice(0, root.offset)
  const after = text.slice(endOf(root))
  if (after === "") return before.replace(/\r?\n$/, "")
  return before + after.replace(/^\r?\n/, "")
}

function cutOut(text: string, cuts: readonly TextRange[]): string {
  const backwards = cuts.toSorted(([one], [other]) => other - one)
  return backwards.reduce((now, [from, to]) => now.slice(0, from) + now.slice(to), text)
}
