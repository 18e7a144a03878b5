/*
 * `aman remember`. One entry from words and flags, or a batch of JSON Lines with the flags as defaults. Prints the
 * ids, and for single entries the older entries that the new one seems to update or contradict.
 */

import { toEntryInput } from "../../../app/memory/entries/entry-names.ts"
import type { RememberAnswer, RememberRequest } from "../../../app/memory/requests.ts"
import { AmanError } from "../../../base/errors.ts"
import type { EntryInput } from "../../../memory/entries/entry.ts"
import { ENTRY, REMEMBER } from "../../../verbs/memory.ts"
import { type Command, EXIT, type Flag, type Input } from "../../command.ts"
import { flagsOf, fromFlags } from "../../flags/flags.ts"
import { standardInput } from "../../flags/standard-input.ts"
import { printableLine } from "../../render/printable.ts"
import { remarkNotices, withMemory } from "../../with-project.ts"

const FLAGS: readonly Flag[] = [
  ...flagsOf(REMEMBER),
  {
    name: "team",
    value: "WHOM",
    help: "Also share it through the team's server: with readers (all who may read this repository), private (only you), or a team's name",
  },
  {
    name: "batch",
    short: "b",
    value: "FILE",
    help: "Read entries from JSON Lines, all or none; - reads stdin",
  },
  {
    name: "skip-bad",
    help: "With --batch: skip unreadable or refused lines, and list them",
  },
]

export const rememberCommand: Command = {
  usage: "[flags] TEXT...",
  details: `Stores a fact, with its date and source, for later sessions of every agent on this machine. Everything after
-- belongs to the text; - reads the text from stdin. Text in <private>…</private> is never stored. An equal text in the
same topic is not stored twice; nearly equal entries are stored, and the similar ones are listed, as are older entries
that it seems to replace. --batch reads one
object a line, {"text", "topic", "tags", "kind", "key", "source", "metadata", "recorded_at", "valid_from", "valid_until",
"author", "role", "session", "ordinal", "entities", "relations", "supersedes"}, and prints the ids.`,
  flags: FLAGS,
  examples: [
    { line: "aman remember Releases are cut from main on Tuesdays --topic release", note: "a fact" },
    {
      line: 'aman remember -k decision -s src/net/retry.ts:40 "Retries stop at 5: the gateway bans after 6"',
      note: "linked to code",
    },
    { line: "aman remember --key owner:billing 'Billing belongs to Ines'", note: "revised next time" },
    { line: "git log -1 --format=%B | aman remember --topic history -", note: "from stdin" },
    { line: "aman remember --batch notes.jsonl", note: "many at once" },
  ],
  async run(input) {
    const { isBatch, entries, leftOut } = await toEntries(input)
    const { rememberAll, rememberCompared } = await import("../../../app/memory/remember.ts")
    // A batch prints ids only, so its entries are not compared with older ones.
    const store = isBatch ? rememberAll : rememberCompared
    const { flags, output } = input
    const options = { ifNew: flags.has("if-new"), force: flags.has("force") }
    const answer = await withMemory(input, async (memory) => {
      const stored = await store(memory, entries, options)
      if (isBatch) await memory.prepareRecall()
      const team = flags.text("team")
      if (team === undefined) return stored
      const { markForTeam } = await import("../../../app/memory/actions/share.ts")
      markForTeam(
        memory,
        stored.entries.map(({ id }) => id),
        team,
      )
      return stored
    })
    remarkNotices(input, [...leftOut, ...answer.notices])
    if (flags.has("json"))
      await output.json(
        isBatch ? { ids: answer.entries.map(({ id }) => id), left_out: leftOut } : single(answer),
      )
    else await output.write(answer.entries.map(({ id }) => `${id}\n`).join(""))
    if (!isBatch && !flags.has("json")) remarkSimilar(input, answer)
    return EXIT.ok
  },
}

function single({ entries, notices }: RememberAnswer) {
  const [entry] = entries
  return { ...entry!, notices }
}

function remarkSimilar(input: Input, { entries }: RememberAnswer): void {
  const { outcome, similar } = entries[0]!
  if (outcome === "existing") remarkNotices(input, ["an equal entry exists: nothing was stored"])
  remarkNotices(
    input,
    similar.map(
      ({ id, text, reason }) =>
        `${reason === "conflict" ? "seems to replace" : "similar"}: ${id} ${printableLine(text)}`,
    ),
  )
}

type RememberInput = {
  readonly isBatch: boolean
  readonly entries: readonly EntryInput[]
  /** Lines left out by --skip-bad, one text each. */
  readonly leftOut: readonly string[]
}

async function toEntries(input: Input): Promise<RememberInput> {
  const { flags, words, cwd } = input
  const file = flags.text("batch")
  // The fields of the flags are defaults for the lines of --batch.
  const shared = toEntryInput(fromFlags(ENTRY, flags) as Partial<RememberRequest>)
  if (file === undefined) {
    return { isBatch: false, entries: [{ ...shared, text: await entryTextFrom(input) }], leftOut: [] }
  }
  if (words.length > 0) {
    throw new AmanError("USAGE", `--batch reads the text from ${file}`, { hint: "remove the other words" })
  }
  const { readBatchFile } = await import("../../../app/memory/remember.ts")
  const options = { skipBad: flags.has("skip-bad"), force: flags.has("force") }
  const batch = await readBatchFile(file, cwd, Bun.stdin.stream(), options)
  const entries = batch.entries.map((line) => ({ ...shared, ...line }))
  return { isBatch: true, entries, leftOut: batch.notices }
}

async function entryTextFrom({ words, signal }: Input): Promise<string> {
  const typed = words.join(" ")
  const isPiped = words.length === 0 && process.stdin.isTTY !== true
  const text = typed === "-" || isPiped ? await standardInput(signal) : typed
  if (text.trim() !== "") return text
  throw new AmanError("USAGE", "no text given", {
    hint: "for example: aman remember Releases are cut on Tuesdays",
  })
}
