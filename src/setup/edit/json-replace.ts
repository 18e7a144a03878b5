import { type JsonPath, jsonTree, nodeAt } from "./json-document.ts"
import { endOf } from "./json-tokens.ts"
import { indentAt, indentUnit, lineEndOf } from "./text-style.ts"

/** Another value at a path that is there. */
export function replaceJson(text: string, path: JsonPath, value: unknown): string {
  const node = nodeAt(jsonTree(text), path)
  if (node === undefined) return text
  const indent = indentAt(text, node.offset)
  const isOnLine = !text.slice(node.offset, endOf(node)).includes("\n")
  const json = JSON.stringify(value, null, isOnLine ? "" : indentUnit(text))
  return (
    text.slice(0, node.offset) + json.replaceAll("\n", lineEndOf(text) + indent) + text.slice(endOf(node))
  )
}
