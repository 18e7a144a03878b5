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

function action<Load extends Action["load"]>(
  words: string,
  does: string,
  load: Load,
  more: Omit<Action, "words" | "does" | "load"> = {},
) {
  return { words, does, load, ...more }
}

/**
 * All actions on the memory other than remember and recall, in the order of `aman memory --help`. The verbs of the
 * command line and the actions of the MCP tool `knowledge` are derived from this list.
 */
export const ACTIONS = {
  list: action("", "entries, newest first", readEntries),
  get: action("ids…", "the full text of entries", readEntries),
  entries: action("topic", "the entries of a topic, in order", readEntries),
  history: action("id", "every version of an entry, and why it changed", readEntries),
  changes: action("since", "changes since a date", readEntries),
  recent: action("days?", "entries of the last days (default: 7)", readEntries),
  timeline: action("", "entries by day; --around ID, --after, --before", readEntries),
  topics: action("", "topics, with counts", readEntries),
  tags: action("", "tags, with counts", readEntries),
  sessions: action("", "conversations and tasks", readEntries),
  digest: action("", "one line for each topic", readEntries),
  stats: action("", "counts of entries, topics and tags", readEntries),
  xref: action("topic", "where other topics mention it", readEntries),
  reconstruct: action("query…", "everything known about a subject, and the gaps", readEntries),
  stale: action("topic?", "entries whose code has changed or was deleted", readEntries),
  conflicts: action("topic?", "pairs of entries that seem to contradict or replace each other", readEntries),
  refresh: action("ids…", "the code an entry is about, then and now", readEntries),
  revise: action("id text…?", "change text, topic, kind, tags …", changeEntries),
  append: action("id text…", "add to the text", changeEntries),
  tag: action("ids…", "add --tag", changeEntries, { flags: "--tag TAG", needs: ["ids", "tags"] }),
  untag: action("ids…", "remove --tag", changeEntries, { flags: "--tag TAG", needs: ["ids", "tags"] }),
  fix: action("id text…", "replace an entry by one with the right text", changeEntries),
  wrong: action(
    "id reason…?",
    "mark an entry as never true: its history keeps it, recall does not find it again",
    changeEntries,
  ),
  invalidate: action("id", "mark an entry as no longer valid", changeEntries),
  keep: action("ids…", "entries hold beside each other: mark none as replaced", changeEntries),
  delete: action("ids…?", "hide entries, or all of --topic; restore undoes it", changeEntries, {
    flags: "| --topic TOPIC",
    needs: [["ids", "topic"]],
  }),
  restore: action("ids…", "undo delete and invalidate", changeEntries),
  purge: action("ids…", "erase entries permanently", changeEntries, { isForPersons: true }),
  merge: action("from into", "merge one topic into another", changeEntries),
  "merge-entries": action(
    "ids…",
    "merge several entries into one; the text comes from stdin",
    changeEntries,
    { needs: ["ids", "text"] },
  ),
  rename: action("topic to", "rename a topic", changeEntries),
  entities: action("match?", "people, services, components", graph),
  entity: action("name", "create or describe an entity", graph),
  "merge-entities": action("from into", "merge two entities", graph),
  "delete-entity": action("name", "delete an entity and its relations; entries stay", graph),
  relate: action("from type to", "add a relation between two entities", graph),
  unrelate: action("from type to", "remove a relation", graph),
  related: action("entity", "entities and entries related to an entity", graph),
  path: action("from to", "the shortest path between two entities", graph),
  prune: action("", "suggest entries to delete; changes nothing", readEntries),
  compact: action("topic?", "suggest entries to merge; changes nothing", readEntries),
  export: action(
    "path?",
    "export entries as JSON Lines or editable Markdown, to stdout without a path; --everything: a full backup",
    exchange,
  ),
  import: action("path", "import such a file, or the memory of another tool", exchange),
  projects: action("", "known projects, and how they are recognised", share, { isForPersons: true }),
  link: action("to", "declare that this folder belongs to a project", share, { isForPersons: true }),
  share: action(
    "on|off|ids…?",
    "share memories through a committed .aman-memory/ folder, or entries and with --team all through a team's server",
    share,
    { isForPersons: true },
  ),
  sync: action(
    "ids…?",
    "write new entries to .aman-memory/, list changes by others, and import them once accepted; with a team's server: send and receive",
    share,
    { isForPersons: true },
  ),
  rebuild: action("", "rebuild all tables from the log, and compare", share, { isForPersons: true }),
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
