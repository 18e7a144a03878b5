import type { Node } from "jsonc-parser"
import { type JsonPath, jsonTree, lineAt, memberOf } from "./json-document.ts"
import { endOf, innerOf, separatorBetween } from "./json-tokens.ts"
import { beginsLine, indentAt, indentUnit, lineEndOf, NotEditable } from "./text-style.ts"

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
