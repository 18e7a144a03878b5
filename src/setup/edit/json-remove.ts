import type { Node } from "jsonc-parser"
import { type JsonPath, jsonTree, nodeAt } from "./json-document.ts"
import { blankOf, type FilledContainer } from "./json-insert.ts"
import { endOf, innerOf, separatorBetween } from "./json-tokens.ts"

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
