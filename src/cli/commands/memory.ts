import type { KnowledgeAnswer, KnowledgeCall } from "../../app/knowledge/calls.ts"
import { AmanError } from "../../base/errors.ts"
import { nearest } from "../../base/nearest.ts"
import { DIRECTIONS } from "../../knowledge/graph/edge-choice.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { entryFilter, FILTER_FLAGS } from "../entry-filter.ts"
import { isVerb, memoryCall, VERBS } from "../memory-call.ts"
import { meantByMemoryWord } from "../memory-words.ts"
import { printable } from "../printable.ts"
import { reportProgress } from "../progress.ts"
import { withMemory } from "../with-memory.ts"
import { remarkNotices } from "../with-project.ts"

/** No call to an open memory, as the others are: a damaged one does not open. */
const RECOVER = "recover"
/** Nor is this: it may take long, and shows how far it is. */
const EMBED = "embed"

const FLAGS: readonly Flag[] = [
  { name: "limit", short: "n", value: "N", help: "At most this many (default: 20)" },
  { name: "offset", value: "N", help: "Pass over this many" },
  { name: "reason", value: "TEXT", help: "revise, invalidate, delete: why" },
  { name: "successor", value: "ID", help: "invalidate: the entry that holds instead" },
  { name: "at", value: "TIME", help: "invalidate: when it ceased to hold" },
  { name: "known-at", value: "TIME", help: "list: what was known then, in the words of then" },
  { name: "deleted", help: "list: only what was deleted, which restore brings back" },
  { name: "match", value: "TEXT", help: "entries, entities: only what contains this" },
  { name: "source", short: "s", value: "PLACE", help: "revise: the code it speaks of" },
  { name: "key", value: "KEY", help: "revise: its key" },
  { name: "valid-from", value: "DATE", help: "revise: since when it holds" },
  { name: "valid-until", value: "DATE", help: "revise: until when, exclusive" },
  { name: "type", value: "TYPE", multiple: true, help: "entity, entities, related: person, service, …" },
  { name: "description", value: "TEXT", help: "entity: what it is" },
  { name: "alias", value: "NAME", multiple: true, help: "entity: another name of it" },
  { name: "weight", value: "0-1", help: "relate: how strongly" },
  { name: "depth", value: "N", help: "related: 1 to 5 (default: 1)" },
  {
    name: "direction",
    value: "WAY",
    choices: DIRECTIONS,
    help: "related: outgoing, incoming or both (default)",
  },
  { name: "around", value: "ID", help: "timeline: the entry in its middle" },
  { name: "days", value: "N", help: "recent, prune" },
  { name: "hours", value: "N", help: "recent" },
  { name: "max-tokens", value: "N", help: "reconstruct: about this many" },
  { name: "accept", help: "refresh: it still holds for the code as it is now" },
  { name: "format", value: "FORMAT", help: "export: jsonl or markdown; import: when it is not recognised" },
  { name: "dry-run", help: "import, sync: only show what would come and go" },
  { name: "accept-purges", help: "sync: purge here what others purged" },
  { name: "skip-bad", help: "import: leave lines out that cannot be read" },
  { name: "with-paths", help: "export: with the folders in which projects lie on this machine" },
  { name: "delete-missing", help: "import of Markdown: delete what is no longer in it" },
  { name: "force", help: "Store even what looks like a credential; import: take the file's word, too" },
  ...FILTER_FLAGS,
]

export const memoryCommand: Command = {
  usage: "VERB [flags] [WORDS...]",
  details: `Looks after what was remembered: reads it, changes it, keeps it tidy, takes it elsewhere. ID is an entry's
id, or its key.`,
  verbs: [
    ...Object.entries(VERBS).map(
      ([name, { words, does }]) => [`${name} ${inUsage(words)}`.trimEnd(), does] as const,
    ),
    [EMBED, "give every entry vectors of the configured embedder (knowledge.embedder)"],
    [RECOVER, "a new file of what can be read of a damaged one, which is kept"],
  ],
  flags: FLAGS,
  examples: [
    { line: "aman memory list --topic release --valid", note: "what holds now, its code looked at" },
    { line: "aman memory reconstruct payments --max-tokens 1500", note: "all that is known of a subject" },
    {
      line: "aman memory invalidate ID --reason 'moved to Redis' --successor ID",
      note: "it no longer holds",
    },
    { line: "aman memory stale", note: "entries whose code has changed" },
    { line: "aman memory export notes.md --format markdown", note: "to read, edit and import again" },
    { line: "aman memory import ~/.engram/engram.db --dry-run", note: "from another tool" },
  ],
  async run(input) {
    const [typed = "list", ...words] = input.words
    const { data, text, found } = await run(typed, words, input)
    if (input.flags.has("json")) await input.output.json(data)
    else if (text !== "") await input.output.write(`${printable(text).trimEnd()}\n`)
    else remarkNotices(input, ["nothing found"])
    return found ? EXIT.ok : EXIT.nothingFound
  },
}

/** "id text…?" as ID [TEXT…]. */
function inUsage(words: string): string {
  return words.toUpperCase().replace(/(\S+)\?/g, "[$1]")
}

function run(typed: string, words: readonly string[], input: Input): Promise<KnowledgeAnswer> {
  if (typed === RECOVER) return recovered()
  return typed === EMBED ? embedded(input) : answer(typed, words, input)
}

async function answer(verb: string, words: readonly string[], input: Input): Promise<KnowledgeAnswer> {
  if (!isVerb(verb)) throw unknownVerb(verb)
  const call: KnowledgeCall = await memoryCall(verb, words, input, entryFilter(input.flags))
  const { runCall } = await import("../../app/knowledge/run-call.ts")
  return await withMemory(input, (memory) => runCall(memory, call))
}

async function recovered(): Promise<KnowledgeAnswer> {
  const { recoverKnowledge } = await import("../../app/knowledge/recover-knowledge.ts")
  return recoverKnowledge()
}

async function embedded(input: Input): Promise<KnowledgeAnswer> {
  const { embedKnown } = await import("../../app/knowledge/embed-known.ts")
  const { flags, output, signal } = input
  const progress = reportProgress(output, { quiet: flags.has("quiet"), verbose: flags.has("verbose") })
  try {
    const report = await withMemory(input, (memory) =>
      embedKnown(memory, {
        signal,
        onProgress: (done, total) => progress.update({ phase: "remember", done, total }),
      }),
    )
    const { embedder, dimensions, embedded, entries } = report
    const text = `all ${entries} entries have vectors of ${embedder}, ${dimensions} dimensions; ${embedded} are new`
    return { data: report, text, found: true }
  } finally {
    progress.done()
  }
}

function unknownVerb(typed: string): AmanError {
  const named = nearest(typed, [...Object.keys(VERBS), EMBED, RECOVER])
  const meant = meantByMemoryWord(typed) ?? (named && `memory ${named}`)
  const hint = meant ? `did you mean aman ${meant}?` : "see: aman memory --help"
  return new AmanError("USAGE", `unknown word ${JSON.stringify(typed)}`, { hint })
}
