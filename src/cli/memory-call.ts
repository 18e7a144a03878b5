import type { KnowledgeCall } from "../app/memory/actions/calls.ts"
import { toCall } from "../app/memory/actions/to-call.ts"
import type { EntryFilter } from "../app/memory/requests.ts"
import { AmanError } from "../base/errors.ts"
import type { Input } from "./command.ts"
import { standardInput } from "./flags/standard-input.ts"
import { listFlag, numberFlag } from "./flags/values.ts"

type Verb = {
  readonly words: string
  readonly does: string
  /** Flags beside the words, or in place of them. */
  readonly flags?: string
}

/** Arguments and description of each verb, in the order of the help. */
export const VERBS = {
  list: { words: "", does: "entries, newest first" },
  get: { words: "ids…", does: "the full text of entries" },
  entries: { words: "topic", does: "the entries of a topic, in order" },
  history: { words: "id", does: "every version of an entry, and why it changed" },
  changes: { words: "since", does: "changes since a date" },
  recent: { words: "days?", does: "entries of the last days (default: 7)" },
  timeline: { words: "", does: "entries by day; --around ID, --after, --before" },
  topics: { words: "", does: "topics, with counts" },
  tags: { words: "", does: "tags, with counts" },
  sessions: { words: "", does: "conversations and tasks" },
  digest: { words: "", does: "one line for each topic" },
  stats: { words: "", does: "counts of entries, topics and tags" },
  xref: { words: "topic", does: "where other topics mention it" },
  reconstruct: { words: "query…", does: "everything known about a subject, and the gaps" },
  stale: { words: "topic?", does: "entries whose code has changed or was deleted" },
  refresh: { words: "ids…", does: "the code an entry is about, then and now" },
  revise: { words: "id text…?", does: "change text, topic, kind, tags …" },
  append: { words: "id text…", does: "add to the text" },
  tag: { words: "ids…", does: "add --tag", flags: "--tag TAG" },
  untag: { words: "ids…", does: "remove --tag", flags: "--tag TAG" },
  invalidate: { words: "id", does: "mark an entry as no longer valid" },
  delete: {
    words: "ids…?",
    does: "hide entries, or all of --topic; restore undoes it",
    flags: "| --topic TOPIC",
  },
  restore: { words: "ids…", does: "undo delete and invalidate" },
  purge: { words: "ids…", does: "erase entries permanently" },
  merge: { words: "from into", does: "merge one topic into another" },
  "merge-entries": { words: "ids…", does: "merge several entries into one; the text comes from stdin" },
  rename: { words: "topic to", does: "rename a topic" },
  entities: { words: "match?", does: "people, services, components" },
  entity: { words: "name", does: "create or describe an entity" },
  "merge-entities": { words: "from into", does: "merge two entities" },
  "delete-entity": { words: "name", does: "delete an entity and its relations; entries stay" },
  relate: { words: "from type to", does: "add a relation between two entities" },
  unrelate: { words: "from type to", does: "remove a relation" },
  related: { words: "entity", does: "entities and entries related to an entity" },
  path: { words: "from to", does: "the shortest path between two entities" },
  communities: { words: "", does: "groups of related entities" },
  prune: { words: "", does: "suggest entries to delete; changes nothing" },
  compact: { words: "topic?", does: "suggest entries to merge; changes nothing" },
  export: {
    words: "path?",
    does: "export entries as JSON Lines or editable Markdown, to stdout without a path; --everything: a full backup",
  },
  import: { words: "path", does: "import such a file, or the memory of another tool" },
  projects: { words: "", does: "known projects, and how they are recognised" },
  link: { words: "to", does: "declare that this folder belongs to a project" },
  share: {
    words: "on|off?",
    does: "share memories with a team through a committed .aman-memory/ folder; off by default",
  },
  sync: {
    words: "ids…?",
    does: "write new entries to .aman-memory/, list changes by others, and import them once accepted",
  },
  rebuild: { words: "", does: "rebuild all tables from the log, and compare" },
} as const satisfies Partial<Record<KnowledgeCall["action"], Verb>>

type VerbName = keyof typeof VERBS

export function isVerb(word: string): word is VerbName {
  return Object.hasOwn(VERBS, word)
}

/** Converts the command line to a call; USAGE names what is missing or too much. */
export async function memoryCall(
  verb: VerbName,
  words: readonly string[],
  input: Input,
  filter: EntryFilter,
): Promise<KnowledgeCall> {
  const named = await textFromInput(verb, nameWords(verb, words), input)
  const flags = fromFlags(input)
  // Positional words override flags.
  const asked = { action: verb, ...defined(filter), ...flags, ...named, cwd: input.cwd, overwrite: true }
  const { words: takes, flags: and = "" }: Verb = VERBS[verb]
  const usage = takes.toUpperCase().replace(/(\S+)\?/g, "[$1]")
  return toCall(asked, `write: aman memory ${verb} ${usage} ${and}`.trimEnd())
}

/** Assigns words to the names in VERBS: "ids…" takes the rest as a list, "text…" joins the rest. */
function nameWords(verb: VerbName, words: readonly string[]): Record<string, unknown> {
  const rest = [...words]
  const names = VERBS[verb].words.split(" ").filter((name) => name !== "")
  const named = Object.fromEntries(names.map((name) => [wordName(name), takeWord(name, rest)] as const))
  if (rest.length === 0) return defined(named)
  const takes = names.join(" ") || "no words"
  throw new AmanError("USAGE", `${verb} takes ${takes}, but also got ${JSON.stringify(rest[0])}`, {
    hint: "put a text of several words in quotes; see: aman memory --help",
  })
}

function wordName(name: string): string {
  return name === "on|off?" ? "how" : name.replace(/[…?]/g, "")
}

function takeWord(name: string, rest: string[]): unknown {
  if (rest.length === 0) return undefined
  if (name.startsWith("ids")) return rest.splice(0)
  if (name.includes("…")) return rest.splice(0).join(" ")
  return name.startsWith("days") ? days(rest.shift()!) : rest.shift()
}

function days(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new AmanError("USAGE", `days must be a whole number, not ${JSON.stringify(text)}`)
}

/** "-" reads a text from stdin; merging entries always does. */
async function textFromInput(
  verb: VerbName,
  named: Record<string, unknown>,
  { signal }: Input,
): Promise<Record<string, unknown>> {
  const isPiped = named["text"] === "-" || verb === "merge-entries"
  return isPiped ? { ...named, text: await standardInput(signal) } : named
}

function fromFlags({ flags }: Input): Record<string, unknown> {
  const types = listFlag(flags, "type")
  const aliases = flags.all("alias")
  return defined({
    limit: numberFlag(flags, "limit", 1, 100_000),
    offset: numberFlag(flags, "offset", 0, 10_000_000),
    reason: flags.text("reason"),
    successor: flags.text("successor"),
    at: flags.text("at"),
    known_at: flags.text("known-at"),
    deleted: flags.has("deleted") || undefined,
    match: flags.text("match"),
    source: flags.text("source"),
    key: flags.text("key"),
    valid_from: flags.text("valid-from"),
    valid_until: flags.text("valid-until"),
    type: types[0],
    types: types.length > 0 ? types : undefined,
    description: flags.text("description"),
    aliases: aliases.length > 0 ? aliases : undefined,
    kind: listFlag(flags, "kind")[0],
    weight: weightFlag(flags.text("weight")),
    depth: numberFlag(flags, "depth", 1, 5),
    direction: flags.text("direction"),
    around: flags.text("around"),
    days: numberFlag(flags, "days", 0, 100_000),
    hours: numberFlag(flags, "hours", 0, 1_000_000),
    max_tokens: numberFlag(flags, "max-tokens", 100, 1_000_000),
    accept: flags.has("accept") || undefined,
    format: flags.text("format"),
    dry_run: flags.has("dry-run") || undefined,
    skip_bad: flags.has("skip-bad") || undefined,
    with_paths: flags.has("with-paths") || undefined,
    with_deleted: flags.has("with-deleted") || undefined,
    everything: flags.has("everything") || undefined,
    force: flags.has("force") || undefined,
    accept_purges: flags.has("accept-purges") || undefined,
    trust: flags.has("trust") ? true : flags.has("no-trust") ? false : undefined,
    delete_missing: flags.has("delete-missing") || undefined,
  })
}

function weightFlag(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const weight = Number(text)
  if (weight >= 0 && weight <= 1) return weight
  throw new AmanError("USAGE", `--weight must be between 0 and 1, not ${JSON.stringify(text)}`)
}

/** Leaves out absent and empty values, so that they do not override given ones. */
function defined(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        value !== undefined &&
        (value !== false || name === "trust") &&
        !(Array.isArray(value) && value.length === 0),
    ),
  )
}
