import { parse } from "@decimalturn/toml-patch"
import { getNodeValue } from "jsonc-parser"
import { jsonTree } from "./edit/json-document.ts"
import { readTarget, realTarget } from "./target-file.ts"

/** A value in a client's settings; undefined, too, where the file cannot be read: that is said of the file itself. */
export function settingAt(file: string, path: readonly string[]): unknown {
  try {
    const text = readTarget(realTarget(file, null)).text ?? ""
    const tree = file.endsWith(".toml") ? null : jsonTree(text)
    const settings: unknown = tree === null ? parse(text) : tree === undefined ? {} : getNodeValue(tree)
    return path.reduce<unknown>(
      (inner, name) => (inner as Record<string, unknown> | undefined)?.[name],
      settings,
    )
  } catch {
    return undefined
  }
}
