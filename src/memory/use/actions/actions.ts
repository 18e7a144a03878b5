import { AmanError } from "../../../base/index.ts"
import { resolveEntryName, resolveOwnEntryName } from "../entries/entry-names.ts"
import type { Memory } from "../memory.ts"
import type { KnowledgeAnswer } from "./answer.ts"

export type Action = {
  /** Positional arguments on the command line: "ids…" takes all words, "text…" joins them, "topic?" may be absent. */
  readonly words: string
  readonly does: string
  /** Flags beside the words or in place of them, for a message about missing arguments. */
  readonly flags?: string
  /** Required arguments, if they are not the positional ones; of the names in an inner list, one is enough. */
  readonly needs?: readonly (string | readonly string[])[]
  /**
   * True for actions that agents may not call: an agent must not see other projects, erase what was remembered, or
   * decide which project a folder is and with whom it is shared.
   */
  readonly isForPersons?: boolean
  /** Loads the file with the handler when the action runs. */
  readonly load: () => Promise<object>
}

const changeEntries = () => import("./change-entries.ts")
const exchange = () => import("./exchange.ts")
const graph = () => import("./graph.ts")
const readEntries = () => import("./read-entries.ts")
const share = () => import("./share.ts")

/**
 * All actions on the memory other than remember and recall, in the order of `aman memory --help`. The verbs of the
 * command line and the actions of the MCP tool `knowledge` are derived from this list.
 */
export const ACTIONS = {
  list: { words: "", does: "entries, newest first", load: readEntries },
  get: { words: "ids…", does: "the full text of entries", load: readEntries },
  entries: { words: "topic", does: "the entries of a topic, in order", load: readEntries },
  history: { words: "id", does: "every version of an entry, and why it changed", load: readEntries },
  changes: { words: "since", does: "changes since a date", load: readEntries },
  recent: { words: "days?", does: "entries of the last days (default: 7)", load: readEntries },
  timeline: { words: "", does: "entries by day; --around ID, --after, --before", load: readEntries },
  topics: { words: "", does: "topics, with counts", load: readEntries },
  tags: { words: "", does: "tags, with counts", load: readEntries },
  sessions: { words: "", does: "conversations and tasks", load: readEntries },
  digest: { words: "", does: "one line for each topic", load: readEntries },
  stats: { words: "", does: "counts of entries, topics and tags", load: readEntries },
  xref: { words: "topic", does: "where other topics mention it", load: readEntries },
  reconstruct: { words: "query…", does: "everything known about a subject, and the gaps", load: readEntries },
  stale: { words: "topic?", does: "entries whose code has changed or was deleted", load: readEntries },
  conflicts: {
    words: "topic?",
    does: "pairs of entries that seem to contradict or replace each other",
    load: readEntries,
  },
  refresh: { words: "ids…", does: "the code an entry is about, then and now", load: readEntries },
  revise: { words: "id text…?", does: "change text, topic, kind, tags …", load: changeEntries },
  append: { words: "id text…", does: "add to the text", load: changeEntries },
  tag: { words: "ids…", does: "add --tag", flags: "--tag TAG", needs: ["ids", "tags"], load: changeEntries },
  untag: {
    words: "ids…",
    does: "remove --tag",
    flags: "--tag TAG",
    needs: ["ids", "tags"],
    load: changeEntries,
  },
  fix: {
    words: "id text…",
    does: "replace an entry by one with the right text",
    load: changeEntries,
  },
  wrong: {
    words: "id reason…?",
    does: "mark an entry as never true: its history keeps it, recall does not find it again",
    load: changeEntries,
  },
  invalidate: { words: "id", does: "mark an entry as no longer valid", load: changeEntries },
  delete: {
    words: "ids…?",
    does: "hide entries, or all of --topic; restore undoes it",
    flags: "| --topic TOPIC",
    needs: [["ids", "topic"]],
    load: changeEntries,
  },
  restore: { words: "ids…", does: "undo delete and invalidate", load: changeEntries },
  purge: { words: "ids…", does: "erase entries permanently", isForPersons: true, load: changeEntries },
  merge: { words: "from into", does: "merge one topic into another", load: changeEntries },
  "merge-entries": {
    words: "ids…",
    does: "merge several entries into one; the text comes from stdin",
    needs: ["ids", "text"],
    load: changeEntries,
  },
  rename: { words: "topic to", does: "rename a topic", load: changeEntries },
  entities: { words: "match?", does: "people, services, components", load: graph },
  entity: { words: "name", does: "create or describe an entity", load: graph },
  "merge-entities": { words: "from into", does: "merge two entities", load: graph },
  "delete-entity": { words: "name", does: "delete an entity and its relations; entries stay", load: graph },
  relate: { words: "from type to", does: "add a relation between two entities", load: graph },
  unrelate: { words: "from type to", does: "remove a relation", load: graph },
  related: { words: "entity", does: "entities and entries related to an entity", load: graph },
  path: { words: "from to", does: "the shortest path between two entities", load: graph },
  prune: { words: "", does: "suggest entries to delete; changes nothing", load: readEntries },
  compact: { words: "topic?", does: "suggest entries to merge; changes nothing", load: readEntries },
  proposals: { words: "", does: "what hooks propose to remember (hooks.propose)", load: changeEntries },
  accept: { words: "ids…", does: "remember proposals", isForPersons: true, load: changeEntries },
  reject: {
    words: "ids…",
    does: "drop proposals; they are not proposed again",
    isForPersons: true,
    load: changeEntries,
  },
  export: {
    words: "path?",
    does: "export entries as JSON Lines or editable Markdown, to stdout without a path; --everything: a full backup",
    load: exchange,
  },
  import: { words: "path", does: "import such a file, or the memory of another tool", load: exchange },
  projects: {
    words: "",
    does: "known projects, and how they are recognised",
    isForPersons: true,
    load: share,
  },
  link: {
    words: "to",
    does: "declare that this folder belongs to a project",
    isForPersons: true,
    load: share,
  },
  share: {
    words: "on|off|ids…?",
    does: "share memories through a committed .aman-memory/ folder, or entries and with --team all through a team's server",
    isForPersons: true,
    load: share,
  },
  sync: {
    words: "ids…?",
    does: "write new entries to .aman-memory/, list changes by others, and import them once accepted; with a team's server: send and receive",
    isForPersons: true,
    load: share,
  },
  rebuild: {
    words: "",
    does: "rebuild all tables from the log, and compare",
    isForPersons: true,
    load: share,
  },
} as const satisfies Readonly<Record<string, Action>>

export type ActionName = keyof typeof ACTIONS

/** The arguments that an action's handler takes. */
type Args<Name extends ActionName> =
  Awaited<ReturnType<(typeof ACTIONS)[Name]["load"]>>["handlers"] extends Readonly<
    Record<Name, (memory: Memory, args: infer Given) => unknown>
  >
    ? Given
    : never

/** An action with its arguments. */
export type KnowledgeCall = { [Name in ActionName]: { readonly action: Name } & Args<Name> }[ActionName]

type Handler = (memory: Memory, args: KnowledgeCall) => Promise<KnowledgeAnswer> | KnowledgeAnswer

export function isAction(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name)
}

/** Actions available to agents. */
export const AGENT_ACTIONS = Object.keys(ACTIONS).filter(
  (name) => !("isForPersons" in ACTIONS[name as ActionName]),
) as [ActionName, ...ActionName[]]

/** Runs the call; an entry may be given by its key as well. */
export async function runCall(memory: Memory, call: KnowledgeCall): Promise<KnowledgeAnswer> {
  const { handlers } = await ACTIONS[call.action].load()
  return (handlers as unknown as Readonly<Record<string, Handler>>)[call.action]!(
    memory,
    keysToIds(memory, call),
  )
}

const ID_FIELDS = ["id", "successor", "around"] as const
/** Actions that remove entries; for these a key selects only an entry of this project. */
const REMOVING_ACTIONS: ReadonlySet<string> = new Set(["delete", "purge"])

type SingleIds = Readonly<Partial<Record<(typeof ID_FIELDS)[number], string>>> & {
  readonly ids?: readonly string[]
}

/** The call with ids in place of keys. */
function keysToIds(memory: Memory, call: KnowledgeCall): KnowledgeCall {
  const resolve = REMOVING_ACTIONS.has(call.action) ? resolveOwnEntryName : resolveEntryName
  const named = call as SingleIds
  const ids = ID_FIELDS.flatMap((field) => {
    const name = named[field]
    return name === undefined ? [] : [[field, resolve(memory, name)]]
  })
  const all = named.ids?.map((name) => resolve(memory, name))
  return { ...call, ...Object.fromEntries(ids), ...(all && { ids: all }) }
}

type RawCall = { readonly action: ActionName } & { readonly [name: string]: unknown }

/**
 * The call for an action and its arguments; an `id` is accepted for `ids` and the reverse. Throws USAGE for a missing
 * argument.
 */
export function toCall(call: RawCall, usage?: string): KnowledgeCall {
  const { id, ids } = call as { readonly id?: string; readonly ids?: readonly string[] }
  const filled: RawCall = {
    ...call,
    id: id ?? (ids?.length === 1 ? ids[0] : undefined),
    ids: ids ?? (id === undefined ? undefined : [id]),
  }
  const missing = needsOf(ACTIONS[call.action])
    .filter((need) => ![need].flat().some((name) => isGiven(filled[name])))
    .map((need) => [need].flat().join(" or "))
  if (missing.length === 0) return filled as KnowledgeCall
  throw new AmanError("USAGE", `${call.action} needs ${missing.join(" and ")}`, {
    hint: usage ?? `for example: ${JSON.stringify({ action: call.action, ...example(missing) })}`,
  })
}

/** Required arguments of an action. */
function needsOf({ words, needs }: Action): readonly (string | readonly string[])[] {
  return needs ?? words.split(" ").flatMap((word) => (/^$|\?$/.test(word) ? [] : [word.replace("…", "")]))
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0)
}

function example(missing: readonly string[]): Record<string, unknown> {
  const names = missing.map((each) => each.split(" or ")[0]!)
  return Object.fromEntries(names.map((name) => [name, ["ids", "tags"].includes(name) ? ["…"] : "…"]))
}
