/*
 * `aman memory VERB`. Verbs and their arguments come from the list of actions (app/memory/actions/actions.ts); flags
 * that only some verbs take are declared here. `recover` and `embed` are handled apart from the actions. `sync` asks
 * on a terminal before changes of others are accepted.
 */

import { ACTIONS, isAction, type KnowledgeCall, runCall } from "../../../app/memory/actions/actions.ts"
import type { KnowledgeAnswer } from "../../../app/memory/actions/answer.ts"
import { AmanError } from "../../../base/errors.ts"
import { nearest } from "../../../base/nearest.ts"
import { CALL } from "../../../verbs/memory.ts"
import { type Command, EXIT, type Input } from "../../command.ts"
import { confirm } from "../../confirm.ts"
import { flagsOf } from "../../flags/flags.ts"
import { meantByMemoryWord } from "../../help/memory-words.ts"
import { inUsage, memoryCall } from "../../memory-call.ts"
import { printable } from "../../render/printable.ts"
import { reportProgress } from "../../render/progress.ts"
import { remarkNotices, withMemory } from "../../with-project.ts"

/** Handled separately from the actions, because a damaged memory cannot be opened. */
const RECOVER = "recover"
/** Handled separately from the actions, because it may take long and shows its progress. */
const EMBED = "embed"

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
  flags: flagsOf(CALL),
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
  const call: KnowledgeCall = await memoryCall(verb, words, input)
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
