import { type EntryFilter, SCOPES } from "../../app/memory/requests.ts"
import { AmanError } from "../../base/errors.ts"
import { ENTRY_KINDS, type Json, ROLES } from "../../memory/entries/entry.ts"
import type { Flag, FlagValues } from "../command.ts"
import { choiceFlag, listFlag } from "./values.ts"

/** Flags that filter entries; the same for every command. */
export const FILTER_FLAGS: readonly Flag[] = [
  { name: "topic", short: "t", value: "TOPIC", help: "Only this topic" },
  { name: "tag", value: "TAG", multiple: true, help: "Only what has this tag; several: all of them" },
  { name: "kind", short: "k", value: "KIND", choices: ENTRY_KINDS, multiple: true, help: "Only this kind" },
  { name: "author", value: "NAME", help: "Only what this author said" },
  { name: "role", value: "ROLE", choices: ROLES, help: "Only what a person, an agent or a tool said" },
  { name: "session", value: "NAME", help: "Only this session" },
  { name: "after", value: "TIME", help: "Recorded then or later" },
  { name: "before", value: "TIME", help: "Recorded earlier" },
  { name: "as-of", value: "DATE", help: "What held at that date, and was known" },
  { name: "valid", help: "Leave out what no longer holds" },
  { name: "meta", value: "KEY=VALUE", multiple: true, help: "Only where the metadata says so" },
  {
    name: "scope",
    value: "SCOPE",
    choices: SCOPES,
    help: "both (project first, then what belongs to all; default), project, global or all (of every project)",
  },
]

export function entryFilter(flags: FlagValues): EntryFilter {
  return {
    scope: choiceFlag(flags, "scope", SCOPES),
    topic: flags.text("topic"),
    tags: listFlag(flags, "tag"),
    kinds: kindsFlag(flags),
    author: flags.text("author"),
    role: choiceFlag(flags, "role", ROLES),
    session: flags.text("session"),
    after: flags.text("after"),
    before: flags.text("before"),
    as_of: flags.text("as-of"),
    valid: flags.has("valid"),
    ...(flags.has("meta") && { metadata: metadataFlag(flags, "meta") }),
  }
}

/** Throws for an unknown kind, which would silently find nothing. */
function kindsFlag(flags: FlagValues): string[] {
  const kinds = listFlag(flags, "kind")
  const unknown = kinds.find((kind) => !(ENTRY_KINDS as readonly string[]).includes(kind))
  if (unknown === undefined) return kinds
  throw new AmanError(
    "USAGE",
    `--kind must be one of ${ENTRY_KINDS.join(", ")}, not ${JSON.stringify(unknown)}`,
  )
}

/** KEY=VALUE, repeated; a value is parsed as JSON if possible, else used as text. */
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
