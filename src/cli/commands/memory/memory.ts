/*
 * `aman memory VERB`. Verbs and their arguments come from the list of actions (app/memory/actions/actions.ts); flags
 * that only some verbs take are declared here. `recover` and `embed` are handled apart from the actions. `sync` asks
 * on a terminal before changes of others are accepted.
 */

import { ACTIONS, isAction, type KnowledgeCall, runCall } from "../../../app/memory/actions/actions.ts"
import type { KnowledgeAnswer } from "../../../app/memory/actions/answer.ts"
import { AmanError } from "../../../base/errors.ts"
import { nearest } from "../../../base/nearest.ts"
import { DIRECTIONS } from "../../../memory/entities/graph/edge-choice.ts"
import { type Command, EXIT, type Flag, type Input } from "../../command.ts"
import { confirm } from "../../confirm.ts"
import { entryFilter, FILTER_FLAGS } from "../../flags/entry-filter.ts"
import { meantByMemoryWord } from "../../help/memory-words.ts"
import { inUsage, memoryCall } from "../../memory-call.ts"
import { printable } from "../../render/printable.ts"
import { reportProgress } from "../../render/progress.ts"
import { remarkNotices, withMemory } from "../../with-project.ts"

/** Handled separately from the actions, because a damaged memory cannot be opened. */
const RECOVER = "recover"
/** Handled separately from the actions, because it may take long and shows its progress. */
const EMBED = "embed"

const LISTS = "list entries timeline recent"
/** Verbs that take all filters. */
const FILTERED = "list timeline recent topics tags digest stats export"
/** Flags that filter entries for most verbs and give new values of fields for `revise`, with their help for `revise`. */
const REVISED: Readonly<Record<string, string>> = {
  topic: "its topic",
  tag: "its tags",
  kind: "its kind",
  author: "its author",
  role: "its role: person, agent or tool",
  session: "its session",
  meta: "its metadata",
}
/** Other verbs that take some of the filters, with the help of the filter for that verb. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  topic: { "stale compact": "only this topic", delete: "all entries of this topic" },
  tag: { tag: "the tag to add", untag: "the tag to remove" },
}

const FLAGS: readonly Flag[] = [
  {
    name: "limit",
    short: "n",
    value: "N",
    help: "At most N (default: 20)",
    verbs: {
      "list entries sessions entities": "At most N (default: 20)",
      "changes timeline recent": "At most N (default: 50)",
    },
  },
  {
    name: "offset",
    value: "N",
    help: "Skip the first N",
    verbs: { [`${LISTS} entities`]: "Skip the first N" },
  },
  { name: "reason", value: "TEXT", ...forVerbs({ "revise invalidate delete": "why" }) },
  { name: "successor", value: "ID", ...forVerbs({ invalidate: "the entry that replaces it" }) },
  { name: "at", value: "TIME", ...forVerbs({ invalidate: "when it stopped being valid" }) },
  {
    name: "known-at",
    value: "TIME",
    ...forVerbs({ list: "what was known at that time, in the wording of that time" }),
  },
  { name: "deleted", ...forVerbs({ list: "only deleted entries, which restore brings back" }) },
  { name: "match", value: "TEXT", ...forVerbs({ "entries entities": "only those that contain this text" }) },
  { name: "source", short: "s", value: "PLACE", ...forVerbs({ revise: "the code it is about" }) },
  { name: "key", value: "KEY", ...forVerbs({ revise: "its key" }) },
  { name: "valid-from", value: "DATE", ...forVerbs({ revise: "valid since" }) },
  { name: "valid-until", value: "DATE", ...forVerbs({ revise: "valid until, exclusive" }) },
  {
    name: "type",
    value: "TYPE",
    multiple: true,
    ...forVerbs({
      "entity entities": "person, service, …",
      related: "only relations of this type",
    }),
  },
  { name: "description", value: "TEXT", ...forVerbs({ entity: "its description" }) },
  { name: "alias", value: "NAME", multiple: true, ...forVerbs({ entity: "another name" }) },
  { name: "weight", value: "0-1", ...forVerbs({ relate: "strength, 0 to 1 (default: 1)" }) },
  { name: "depth", value: "N", ...forVerbs({ related: "number of steps, 1 to 5 (default: 1)" }) },
  {
    name: "direction",
    value: "WAY",
    choices: DIRECTIONS,
    ...forVerbs({ related: "outgoing, incoming or both (default)" }),
  },
  { name: "around", value: "ID", ...forVerbs({ timeline: "the entry in the middle" }) },
  {
    name: "days",
    value: "N",
    ...forVerbs({
      recent: "the last N days (default: 7)",
      prune: "old from N days on (default: 180)",
    }),
  },
  { name: "hours", value: "N", ...forVerbs({ recent: "the last N hours" }) },
  { name: "max-tokens", value: "N", ...forVerbs({ reconstruct: "use about N tokens (default: 2000)" }) },
  {
    name: "accept",
    ...forVerbs({
      refresh: "confirm that it still holds for the current code",
      sync: "accept the changes that wait for review",
    }),
  },
  {
    name: "format",
    value: "FORMAT",
    ...forVerbs({ export: "jsonl or markdown", import: "the format, if it is not detected" }),
  },
  { name: "dry-run", ...forVerbs({ "import share sync": "only show what would change" }) },
  {
    name: "trust",
    ...forVerbs({
      sync: "accept changes of others from now on without review, except changes to your own entries",
    }),
  },
  { name: "no-trust", ...forVerbs({ sync: "review every change again" }) },
  { name: "accept-purges", ...forVerbs({ sync: "also purge here what others purged" }) },
  {
    name: "team",
    value: "WHOM",
    ...forVerbs({
      share: "who may see it on the team's server: readers (of the repository), private, or a team's name",
    }),
  },
  { name: "skip-bad", ...forVerbs({ import: "skip unreadable or refused lines, and list them" }) },
  {
    name: "with-paths",
    ...forVerbs({ export: "include the folders of the projects on this machine" }),
  },
  { name: "with-deleted", ...forVerbs({ export: "include deleted entries" }) },
  {
    name: "everything",
    ...forVerbs({
      export: "a full backup of all projects, with all earlier texts and deleted entries",
    }),
  },
  {
    name: "delete-missing",
    ...forVerbs({ import: "of Markdown: delete entries that are no longer in it" }),
  },
  {
    name: "force",
    help: "Store text even if it looks like a credential; import: also overwrite newer changes",
    verbs: {
      "revise append tag merge-entries rename entity relate": "Store text even if it looks like a credential",
      import: "Store text even if it looks like a credential, and overwrite newer changes",
    },
  },
  ...FILTER_FLAGS.map((flag) => ({ ...flag, verbs: filterVerbs(flag) })),
]

/** The help of a flag for each verb, and the help for all verbs as one text. */
function forVerbs(verbs: Readonly<Record<string, string>>): Pick<Flag, "help" | "verbs"> {
  const parts = Object.entries(verbs).map(([names, help]) => `${names.replaceAll(" ", ", ")}: ${help}`)
  return { help: parts.join("; "), verbs }
}

function filterVerbs({ name, help }: Flag): Readonly<Record<string, string>> {
  const revised = REVISED[name]
  return {
    [FILTERED]: help,
    ...(revised === undefined ? {} : { revise: revised }),
    ...OTHERS[name],
  }
}

export const memoryCommand: Command = {
  usage: "VERB [flags] [WORDS...]",
  details: `Lists, changes, cleans up, exports and imports what was remembered. ID is the id or the key of an entry.`,
  verbs: [
    ...Object.entries(ACTIONS).map(
      ([name, { words, does }]) => [`${name} ${inUsage(words)}`.trimEnd(), does] as const,
    ),
    [EMBED, "compute vectors of all entries with the configured embedder (knowledge.embedder)"],
    [RECOVER, "rebuild a damaged memory file from what can be read; the old file is kept"],
  ],
  flags: FLAGS,
  examples: [
    { line: "aman memory list --topic release --valid", note: "valid entries, checked against their code" },
    { line: "aman memory reconstruct payments --max-tokens 1500", note: "everything known about a subject" },
    {
      line: "aman memory invalidate ID --reason 'moved to Redis' --successor ID",
      note: "mark it as no longer valid",
    },
    { line: "aman memory stale", note: "entries whose code has changed since" },
    { line: "aman memory export notes.md --format markdown", note: "to read, edit and import again" },
    { line: "aman memory export backup.jsonl --everything", note: "a full backup of all projects" },
    { line: "aman memory share ID", note: "with those who may read this repository on the team's server" },
    { line: "aman memory import ~/.engram/engram.db --dry-run", note: "from another tool" },
  ],
  async run(input) {
    const [typed = "list", ...words] = input.words
    const { data, text, found, hasLosses = false } = await run(typed, words, input)
    if (input.flags.has("json")) await input.output.json(data)
    else if (text !== "") await input.output.write(`${printable(text).trimEnd()}\n`)
    else remarkNotices(input, ["nothing found"])
    if (typed === "export" && !input.flags.has("json"))
      remarkNotices(input, (data as { readonly notices: readonly string[] }).notices)
    if (hasLosses) return EXIT.failure
    return found ? EXIT.ok : EXIT.nothingFound
  },
}

function run(typed: string, words: readonly string[], input: Input): Promise<KnowledgeAnswer> {
  if (typed === RECOVER) return recovered()
  return typed === EMBED ? embedded(input) : runAction(typed, words, input)
}

async function runAction(verb: string, words: readonly string[], input: Input): Promise<KnowledgeAnswer> {
  if (!isAction(verb)) throw unknownVerb(verb)
  const call: KnowledgeCall = await memoryCall(verb, words, input, entryFilter(input.flags))
  return await withMemory(input, async (memory) => {
    const first = await runCall(memory, call)
    const accepted = call.action === "sync" ? await reviewed(call, first, input) : null
    return accepted === null ? first : await runCall(memory, accepted)
  })
}

type SyncCall = Extract<KnowledgeCall, { action: "sync" }>

/**
 * Shows the changes that `sync` holds back for review and asks on the terminal whether to accept them. Returns
 * the call that accepts them, or null if nothing is to be accepted.
 */
async function reviewed(
  call: SyncCall,
  { data, text }: KnowledgeAnswer,
  input: Input,
): Promise<SyncCall | null> {
  const { flags, output, signal } = input
  const canAsk = process.stdin.isTTY === true && output.isRemarkTerminal && !flags.has("json")
  const { held, digest } = data as { readonly held: readonly unknown[]; readonly digest: string }
  if (held.length === 0 || call.accept || call.dry_run || !canAsk) return null
  await output.write(`${printable(text).trimEnd()}\n`)
  const question = held.length === 1 ? "Accept this change?" : `Accept these ${held.length} changes?`
  // The person accepts only the changes in the list, not changes that have arrived since.
  return (await confirm(question, signal)) ? { ...call, accept: true, seen: digest } : null
}

async function recovered(): Promise<KnowledgeAnswer> {
  const { recoverKnowledge } = await import("../../../app/memory/store/check-knowledge.ts")
  return recoverKnowledge()
}

async function embedded(input: Input): Promise<KnowledgeAnswer> {
  const { embedEntries } = await import("../../../app/memory/embedding/embed-entries.ts")
  const { flags, output, signal } = input
  const progress = reportProgress(output, { quiet: flags.has("quiet"), verbose: flags.has("verbose") })
  try {
    const report = await withMemory(input, (memory) =>
      embedEntries(memory, {
        signal,
        onProgress: (done, total) => progress.update({ phase: "remember", done, total }),
      }),
    )
    const { embedder, dimensions, embedded, entries } = report
    const text = `all ${entries} entries have vectors of ${embedder} (${dimensions} dimensions); ${embedded} new`
    return { data: report, text, found: true }
  } finally {
    progress.done()
  }
}

function unknownVerb(typed: string): AmanError {
  const named = nearest(typed, [...Object.keys(ACTIONS), EMBED, RECOVER])
  const meant = meantByMemoryWord(typed) ?? (named && `memory ${named}`)
  const hint = meant ? `did you mean aman ${meant}?` : "see: aman memory --help"
  return new AmanError("USAGE", `unknown word ${JSON.stringify(typed)}`, { hint })
}
