/*
 * The verbs about the memory: what each takes, for every door. `ENTRY` are the fields of an entry, `FILTER` those that
 * choose entries, `CALL` the arguments of the actions of `aman memory`. A new argument is one field here.
 */

import {
  AGENT_ACTIONS,
  AGENT_SCOPES,
  DETAILS,
  DIRECTIONS,
  ENTRY_KINDS,
  type EntryField,
  type Json,
  type JsonName,
  ROLES,
  SCOPES,
} from "../../memory/index.ts"
import {
  choice,
  custom,
  type Field,
  type Fields,
  list,
  number,
  objects,
  required,
  text,
  toggle,
  whole,
} from "./fields.ts"

const MAX_LABEL = 1000

type Flags = Omit<Parameters<typeof list>[0] & object, "text">

const label = (meaning: string, offered: Flags = {}) => text(MAX_LABEL, { text: meaning, ...offered })
const time = (meaning: string, offered: Flags = {}) =>
  text(40, { text: `${meaning}; ISO 8601, a date or an instant`, ...offered })
/** Words without commas: one text may hold several. */
const words = (meaning: string, offered: Flags = {}) => list({ text: meaning, hasCommas: true, ...offered })
const kinds = (meaning: string, offered: Flags = {}) =>
  list({
    ...{ items: { type: "string", enum: ENTRY_KINDS }, maxItems: Number.POSITIVE_INFINITY, hasCommas: true },
    ...{ text: meaning, ...offered },
  })

/**
 * An object with names of the caller's choice, whose values are not checked again. The schema names an example, because
 * some clients refuse an object without properties.
 */
const metadata = (meaning: string, offered: Flags) =>
  custom<{ readonly [key: string]: Json }>(
    { type: "object", additionalProperties: {}, properties: { ticket: { type: "string" } } },
    { text: meaning, flag: "--meta KEY=VALUE...", ...offered },
  )

// More characters than any note has; longer texts belong into a file.
const TEXT = text(1_000_000, {
  text: "The fact, understandable by itself; text in <private>…</private> is never stored",
  flag: "TEXT",
})

const RELATION = {
  from: required(label("")),
  to: required(label("")),
  type: required(label("e.g. depends on, owned by, replaced")),
  weight: number([0, 1], { text: "" }),
}
/** Agents may add further fields to a relation. */
const { additionalProperties: _, ...RELATIONS } = objects(RELATION, 100).schema.items!

/** Fields of an entry beside its text; the same wherever one is created or revised. */
export const ENTRY = {
  topic: label("Topic, e.g. release, auth, people (default: general)", {
    flag: "-t, --topic TOPIC",
    help: "Topic of the entry (default: general)",
  }),
  kind: choice(ENTRY_KINDS, {
    text: "default: semantic",
    flag: "-k, --kind KIND",
    help: "semantic (a fact), episodic (an event), procedural (how to) or decision (default: semantic)",
  }),
  tags: words("e.g. gotcha, invariant, how-to, performance", {
    flag: "--tag TAG...",
    help: "Tag to find it by",
  }),
  key: label("Unique key: remembering with the same key revises that entry", {
    flag: "--key KEY",
    help: "Revise the entry with this key, or create it",
  }),
  source: label("The code it is about: path, path:line, path:10-20 or path#symbol, relative to the root", {
    flag: "-s, --source PLACE",
    help: "The code it is about: path, path:line, path:10-20 or path#symbol",
  }),
  metadata: metadata("Other data, to filter by", { help: "Other data; VALUE may be JSON" }),
  valid_from: time("Valid since", { flag: "--valid-from DATE", help: "Valid since" }),
  valid_until: time("Valid until, exclusive", { flag: "--valid-until DATE", help: "Valid until, exclusive" }),
  recorded_at: time("When it was recorded (default: now)", {
    flag: "--recorded-at TIME",
    help: "When it was recorded (default: now)",
  }),
  author: label("Author of the entry", { flag: "--author NAME" }),
  role: choice(ROLES, { text: "Role of the author", flag: "--role ROLE", help: "person, agent or tool" }),
  session: label("The conversation or task it belongs to", { flag: "--session NAME" }),
  entities: list({
    text: "People, services, components that it mentions",
    flag: "--entity NAME...",
    help: "A person, service or component it mentions",
  }),
  relations: custom<readonly { from: string; to: string; type: string; weight?: number }[]>(
    { maxItems: 100, type: "array", items: RELATIONS },
    {
      text: "Relations between entities; missing entities are created",
      flag: "--relation 'A > TYPE > B'...",
      help: "A relation between entities: 'shop > depends on > redis'",
    },
  ),
  replaces: words("Ids or keys of entries that it replaces", {
    flag: "--replaces ID...",
    help: "An entry that this one replaces",
  }),
  global: toggle({
    text: "For all projects",
    flag: "--global",
    help: "Store it for all projects instead of this one",
  }),
} satisfies Readonly<Record<JsonName<Exclude<EntryField, "text" | "ordinal">> | "global", Field>>

/** One of several folders that are served, for a question of a model about one of them. */
const FOLDER = { text: "Name of the folder, if several are served" }

export const REMEMBER = {
  text: TEXT,
  ...ENTRY,
  entries: objects({ text: required(TEXT), ...ENTRY }, 100, {
    text: "Several instead of text: all are stored, or none",
  }),
  repository: text(MAX_LABEL, FOLDER),
  if_new: toggle({
    text: "Refuse text nearly equal to an entry of the topic",
    flag: "--if-new",
    help: "Refuse text that nearly equals an existing entry",
    usual: false,
  }),
  force: toggle({
    text: "Store text even if it looks like a credential",
    flag: "--force",
    usual: false,
  }),
}

/** Fields that choose entries. */
export const FILTER = {
  topic: label("Only this topic", { flag: "-t, --topic TOPIC" }),
  tags: words("Only entries with all of these tags", {
    flag: "--tag TAG...",
    help: "Only entries with this tag; if repeated, with all of them",
  }),
  kinds: kinds("Only these kinds", { flag: "-k, --kind KIND...", help: "Only entries of this kind" }),
  author: label("Only this author", { flag: "--author NAME", help: "Only entries by this author" }),
  role: choice(ROLES, {
    text: "Only this role",
    flag: "--role ROLE",
    help: "Only entries by this role: person, agent or tool",
  }),
  session: label("Only this session", { flag: "--session NAME", help: "Only entries of this session" }),
  after: time("Recorded at or after", { flag: "--after TIME", help: "Recorded at or after this date" }),
  before: time("Recorded before", { flag: "--before TIME", help: "Recorded before this date" }),
  as_of: time("What was valid and known then", {
    flag: "--as-of DATE",
    help: "What was valid and known at that date",
  }),
  valid: toggle({
    text: "Leave out what is no longer valid",
    flag: "--valid",
    help: "Leave out entries that are no longer valid",
  }),
  metadata: metadata("Only with this metadata", { help: "Only entries with this metadata" }),
  scope: choice(SCOPES, {
    text: "both: this project, then global entries (default); project, global",
    flag: "--scope SCOPE",
    help: "both (this project, then global entries; default), project, global or all (every project)",
  }),
}

/** Agents may not ask for the entries of every project. */
const AGENT_FILTER = { ...FILTER, scope: { ...FILTER.scope, ...limitedTo(AGENT_SCOPES, SCOPES) } }

function limitedTo(agents: readonly string[], people: readonly string[]) {
  return { schema: { type: "string", enum: agents }, person: { enum: people } } as const
}

const { valid: _valid, ...RECALL_FILTER } = AGENT_FILTER

export const RECALL = {
  query: text(20_000, {
    text: "A question, some words or a name; empty: the newest",
    flag: "QUERY",
    usual: "",
  }),
  ...RECALL_FILTER,
  outdated: toggle({
    text: "Also what was replaced or has ended (default: only for questions about the past)",
    flag: "--outdated",
    help: "Also entries that were replaced or have ended (default: only for questions about the past)",
  }),
  kind: kinds("The same as kinds"),
  limit: whole([1, 50], {
    text: "At most this many entries (default 10)",
    flag: "-n, --limit N",
    help: "At most N entries (default: 10)",
    person: { maximum: 1000 },
  }),
  detail: choice(DETAILS, {
    text: "How much of each; count: only the number",
    flag: "--detail DETAIL",
    help: "full, medium, brief or count (default: full)",
    usual: "full",
  }),
  team: text(300, {
    text: "Instead the memories shared with the team: a repository's name, or * for all",
    flag: "--team NAME",
    help: "Memories shared through the team's server: about this repository and about none; '*': all",
  }),
  repository: text(MAX_LABEL, FOLDER),
  by_topic: toggle({
    text: "Group by topic",
    flag: "--by-topic",
    help: "Group the entries by topic",
    usual: false,
  }),
  explain: toggle({
    text: "Also show how each score was computed",
    flag: "--explain",
    help: "Show how each score was computed",
    usual: false,
  }),
  max_tokens: whole([200, 20_000], {
    text: "Approximate tokens for the texts",
    flag: "--max-tokens N",
    help: "Use about N tokens for the texts",
    person: { minimum: 1, maximum: 1_000_000, default: undefined },
    usual: 4000,
  }),
}

/** Actions that list pages of entries. */
const LISTS = "list entries timeline recent"
/** Actions that take all filters. */
const FILTERED = "list timeline recent topics tags digest stats export"

/** The filters as arguments of the actions: `own` is the help for those that use a filter otherwise. */
function filters<F extends Fields>(
  fields: F,
  own: Readonly<Record<string, Readonly<Record<string, string>>>>,
): F {
  const entries = Object.entries(fields).map(([name, field]) => {
    const { help = field.text ?? "" } = field
    return [name, { ...field, help, verbs: { [FILTERED]: help, ...own[name] } }] as const
  })
  return Object.fromEntries(entries) as unknown as F
}

const { kind, key, source, valid_from, valid_until } = ENTRY

/** The help of a flag for each action that takes it, and the help for all of them as one text. */
function only(verbs: Readonly<Record<string, string>>) {
  const parts = Object.entries(verbs).map(([actions, help]) => `${actions.replaceAll(" ", ", ")}: ${help}`)
  return { help: parts.join("; "), verbs }
}

/** The arguments of all actions, which the flags of `aman memory` and the MCP tool `knowledge` take. */
export const CALL = {
  action: required(choice(AGENT_ACTIONS, { text: "What to do; the description lists its arguments" })),
  id: label("One entry, by id or key: fix, wrong, revise, append, invalidate, history, get", { flag: "ID" }),
  ids: list({
    text: "Entries, by id or key: get, keep, tag, untag, delete, restore, merge-entries, refresh",
    flag: "IDS",
  }),
  text: TEXT,
  ...filters(AGENT_FILTER, {
    topic: {
      ...{ revise: "its topic", "stale compact": "only this topic" },
      delete: "all entries of this topic",
    },
    tags: { revise: "its tags", tag: "the tag to add", untag: "the tag to remove" },
    kinds: { revise: "its kind" },
    author: { revise: "its author" },
    role: { revise: "its role: person, agent or tool" },
    session: { revise: "its session" },
    metadata: { revise: "its metadata" },
  }),
  kind: { ...kind, flag: "-k, --kind KIND...", ...only({ revise: "its kind" }) },
  key: { ...key, ...only({ revise: "its key" }) },
  source: { ...source, ...only({ revise: "the code it is about" }) },
  valid_from: { ...valid_from, ...only({ revise: "valid since" }) },
  valid_until: { ...valid_until, ...only({ revise: "valid until, exclusive" }) },
  entities: list({ text: ENTRY.entities.text!, flag: "ENTITIES" }),
  repository: text(MAX_LABEL, FOLDER),
  reason: label("Why: wrong, revise, invalidate, delete", {
    flag: "--reason TEXT",
    ...only({ "revise invalidate delete": "why" }),
  }),
  successor: label("invalidate: id or key of the entry that replaces it", {
    flag: "--successor ID",
    ...only({ invalidate: "the entry that replaces it" }),
  }),
  at: time("invalidate: when it stopped being valid (default: now)", {
    flag: "--at TIME",
    ...only({ invalidate: "when it stopped being valid" }),
  }),
  query: label("reconstruct: the subject", { flag: "QUERY" }),
  max_tokens: whole([100, 20_000], {
    text: "Approximate tokens of the answer (default 8000; reconstruct 2000)",
    flag: "--max-tokens N",
    person: { maximum: 1_000_000 },
    ...only({ reconstruct: "use about N tokens (default: 2000)" }),
  }),
  match: label("entries, entities: only those that contain this text", {
    flag: "--match TEXT",
    ...only({ "entries entities": "only those that contain this text" }),
  }),
  since: time("changes: since this date", { flag: "SINCE" }),
  known_at: time("list: what was known then, in the wording of then", {
    flag: "--known-at TIME",
    ...only({ list: "what was known at that time, in the wording of that time" }),
  }),
  deleted: toggle({
    text: "list: only deleted entries, which restore brings back",
    flag: "--deleted",
    ...only({ list: "only deleted entries, which restore brings back" }),
  }),
  days: number([0, 100_000], {
    text: "recent, prune",
    flag: "--days N",
    ...only({ recent: "the last N days (default: 7)", prune: "old from N days on (default: 180)" }),
  }),
  hours: number([0, 1_000_000], {
    text: "recent",
    flag: "--hours N",
    ...only({ recent: "the last N hours" }),
  }),
  around: label("timeline: the entry in the middle, by id or key", {
    flag: "--around ID",
    ...only({ timeline: "the entry in the middle" }),
  }),
  from: label("merge: the topic to remove; path, relate, unrelate: an entity", { flag: "FROM" }),
  into: label("merge: the topic to keep", { flag: "INTO" }),
  to: label("rename: the new name; path, relate, unrelate: the other entity", { flag: "TO" }),
  name: label("entity: its name", { flag: "NAME" }),
  type: label("entity: person, service, …; relate, unrelate: type of relation; entities: only this type", {
    flag: "--type TYPE...",
    ...only({ "entity entities": "person, service, …", related: "only relations of this type" }),
  }),
  weight: number([0, 1], {
    text: "relate: strength (default 1)",
    flag: "--weight 0-1",
    ...only({ relate: "strength, 0 to 1 (default: 1)" }),
  }),
  description: label("entity: its description", {
    flag: "--description TEXT",
    ...only({ entity: "its description" }),
  }),
  aliases: list({
    text: "entity: other names of it",
    flag: "--alias NAME...",
    ...only({ entity: "another name" }),
  }),
  entity: label("related: its name", { flag: "ENTITY" }),
  depth: whole([1, 5], {
    text: "related (default 1)",
    flag: "--depth N",
    ...only({ related: "number of steps, 1 to 5 (default: 1)" }),
  }),
  direction: choice(DIRECTIONS, {
    text: "related (default both)",
    flag: "--direction WAY",
    ...only({ related: "outgoing, incoming or both (default)" }),
  }),
  types: words("related: only relations of these types", { flag: "--type TYPE..." }),
  accept: toggle({
    text: "refresh: the entry still holds for the current code",
    flag: "--accept",
    ...only({
      refresh: "confirm that it still holds for the current code",
      sync: "accept the changes that wait for review",
    }),
  }),
  path: label("export, import: a file below the project root", { flag: "PATH" }),
  format: label("export: jsonl or markdown; import: detected by default", {
    flag: "--format FORMAT",
    ...only({ export: "jsonl or markdown", import: "the format, if it is not detected" }),
  }),
  force: toggle({
    text: "Store text even if it looks like a credential; import: also overwrite newer changes",
    flag: "--force",
    verbs: {
      "fix revise append tag merge-entries rename entity relate":
        "Store text even if it looks like a credential",
      import: "Store text even if it looks like a credential, and overwrite newer changes",
    },
  }),
  dry_run: toggle({
    text: "import: only show what would change",
    flag: "--dry-run",
    ...only({ "import share sync": "only show what would change" }),
  }),
  limit: whole([1, 1000], {
    text: "At most this many (default 20)",
    flag: "-n, --limit N",
    help: "At most N (default: 20)",
    person: { maximum: 100_000 },
    verbs: {
      "list entries sessions entities": "At most N (default: 20)",
      "changes timeline recent": "At most N (default: 50)",
    },
  }),
  offset: whole([0], {
    text: "Skip this many (get of one entry: characters of its text): next_offset of the previous answer",
    flag: "--offset N",
    help: "Skip the first N",
    person: { maximum: 10_000_000 },
    verbs: { [`${LISTS} entities`]: "Skip the first N" },
  }),
  accept_purges: toggle({ flag: "--accept-purges", ...only({ sync: "also purge here what others purged" }) }),
  team: text(MAX_LABEL, {
    flag: "--team WHOM",
    ...only({
      share: "who may see it on the team's server: readers (of the repository), private, or a team's name",
    }),
  }),
  skip_bad: toggle({
    flag: "--skip-bad",
    ...only({ import: "skip unreadable or refused lines, and list them" }),
  }),
  with_paths: toggle({
    flag: "--with-paths",
    ...only({ export: "include the folders of the projects on this machine" }),
  }),
  with_deleted: toggle({ flag: "--with-deleted", ...only({ export: "include deleted entries" }) }),
  everything: toggle({
    flag: "--everything",
    ...only({ export: "a full backup of all projects, with all earlier texts and deleted entries" }),
  }),
  delete_missing: toggle({
    flag: "--delete-missing",
    ...only({ import: "of Markdown: delete entries that are no longer in it" }),
  }),
}

/** What an older entry is to the one that was just stored, by the reason why it is listed. */
export const SIMILAR = {
  words: "similar",
  vector: "similar",
  conflict: "seems to replace",
  subject: "about the same",
} as const
