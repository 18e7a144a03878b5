import { AmanError } from "../base/errors.ts"
import type { Json } from "../knowledge/entry.ts"
import type { FlagValues } from "./command.ts"

/** KEY=VALUE, repeated; a value that is JSON counts as such, any other as text. */
export function metadataFlag(flags: FlagValues, name: string): { readonly [key: string]: Json } {
  return Object.fromEntries(
    flags.all(name).map((pair) => {
      const at = pair.indexOf("=")
      if (at > 0) return [pair.slice(0, at), jsonOrText(pair.slice(at + 1))]
      throw new AmanError("USAGE", `--${name} takes KEY=VALUE, not ${JSON.stringify(pair)}`)
    }),
  )
}

function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
