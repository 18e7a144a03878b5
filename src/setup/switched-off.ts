import { parse } from "@decimalturn/toml-patch"
import { getNodeValue } from "jsonc-parser"
import type { Client, Switch } from "./clients.ts"
import { jsonTree } from "./edit/json-document.ts"
import { expand, type Places } from "./places.ts"
import { readTarget, realTarget } from "./target-file.ts"

/** The setting with which a person switched all hooks of a client off; null where none is. */
export function switchedOff({ user }: Client, places: Places): string | null {
  for (const { file, path, off } of user.hooks?.switches ?? []) {
    if (settingAt({ file: expand(file, places), path }) === off) return `${path.join(".")} is ${off}`
  }
  return null
}

/** Undefined, too, where the file cannot be read: that is said of the file itself. */
function settingAt({ file, path }: Pick<Switch, "file" | "path">): unknown {
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
