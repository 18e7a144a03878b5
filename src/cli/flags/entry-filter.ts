import { type EntryFilter, SCOPES } from "../../app/memory/requests.ts"
import { AmanError } from "../../base/errors.ts"
import { ENTRY_KINDS, type Json, ROLES } from "../../memory/entries/entry.ts"
import type { Flag, FlagValues } from "../command.ts"
import { choiceFlag, listFlag } from "./values.ts"

/** Flags that filter entries; the same for every command. */
export const FILTER_FLAGS: readonly Flag[] = [
  { name: "topic", short: "t", value: "TOPIC", help: "Only this topic" },
  {
    name: "tag",
    value: "TAG",
    multiple: true,
    help: "Only entries with this tag; if repeated, with all of them",
  },
  {
    name: "kind",
    short: "k",
    value: "KIND",
    choices: ENTRY_KINDS,
    multiple: true,
    help: "Only entries of this kind",
  },
  { name: "author", value: "NAME", help: "Only entries by this author" },
  { name: "role", value: "ROLE", choices: ROLES, help: "Only entries by this role: person, agent or tool" },
  { name: "session", value: "NAME", help: "Only entries of this session" },
  { name: "after", value: "TIME", help: "Recorded at or after this date" },
  { name: "before", value: "TIME", help: "Recorded before this date" },
  { name: "as-of", value: "DATE", help: "What was valid and known at that date" },
  { name: "valid", help: "Leave out entries that are no longer valid" },
  { name: "meta", value: "KEY=VALUE", multiple: true, help: "Only entries with this metadata" },
  {
    name: "scope",
    value: "SCOPE",
    choices: SCOPES,
    help: "both (this project, then global entries; default), project, global or all (every project)",
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

/**
 * Parses repeated flags of the form KEY=VALUE. The value is parsed as JSON if possible, otherwise it is used as text.
 */
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
