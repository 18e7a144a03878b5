/*
 * `aman memory VERB`. Verbs and their arguments come from the list of actions (memory/use/actions/actions.ts); flags
 * that only some verbs take are declared here. `sync` asks on a terminal before changes of others are accepted.
 */

import { loadRecordedCalls } from "../../../ask/index.ts"
import { AmanError, nearest } from "../../../base/index.ts"
import {
  ACTIONS,
  type Action,
  type ActionName,
  confidenceWord,
  type EntryInput,
  entryText,
  isAction,
  type KnowledgeAnswer,
  type KnowledgeCall,
  loadCheckKnowledge,
  loadEmbedEntries,
  loadRecall,
  loadRemember,
  loadSharing,
  type RecallAnswer,
  type RecallHit,
  type RecallRequest,
  type RememberAnswer,
  type RememberRequest,
  runCall,
  toCall,
  toEntryInput,
} from "../../../memory/index.ts"
import { noCalls } from "../../report/calls-report.ts"
import { CALL, ENTRY, RECALL, REMEMBER, SIMILAR } from "../../verbs/memory.ts"
import { recallFrom } from "../../verbs/recall-from.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { flagsOf, fromFlags, standardInput } from "../flags.ts"
import { type CommandOutput, confirm } from "../output.ts"
import { reportProgress } from "../progress.ts"
import { duration, plural, printable, printableLine, wrap } from "../text.ts"
import { remarkNotices, withMemory } from "../with-project.ts"

/** Verbs beside the actions: they take long and show progress, read no entry, or read a file that cannot be opened. */
const OTHERS = new Map<string, readonly [does: string, run: (input: Input) => Promise<KnowledgeAnswer>]>([
  [
    "embed",
    [
      "compute vectors of all entries with the sentence encoder, or with the configured embedder (knowledge.embedder), and read each note beside others",
      embedded,
    ],
  ],
  ["cost", ["show the tokens that the memory and the hooks gave to agents here, by day and tool", cost]],
  ["recover", ["rebuild a damaged memory file from what can be read; the old file is kept", recovered]],
])

export const memoryCommand: Command = {
  usage: "VERB [flags] [WORDS...]",
  details: `Lists, changes, cleans up, exports and imports what was remembered. ID is the id or the key of an entry.`,
  verbs: [
    ...Object.entries(ACTIONS).map(
      ([name, { words, does }]) => [`${name} ${inUsage(words)}`.trimEnd(), does] as const,
    ),
    ...[...OTHERS].map(([name, [does]]) => [name, does] as const),
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
    const answer = OTHERS.get(typed)?.[1](input) ?? runAction(typed, words, input)
    const { data, text, found, hasLosses = false } = await answer
    if (input.flags.has("json")) await input.output.json(data)
    else if (text !== "") await input.output.write(`${printable(text).trimEnd()}\n`)
    else remarkNotices(input, ["nothing found"])
    if (typed === "export" && !input.flags.has("json"))
      remarkNotices(input, (data as { readonly notices: readonly string[] }).notices)
    if (hasLosses) return EXIT.failure
    return found ? EXIT.ok : EXIT.nothingFound
  },
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
  const { recoverKnowledge } = await loadCheckKnowledge()
  return recoverKnowledge()
}

async function embedded(input: Input): Promise<KnowledgeAnswer> {
  const { embedEntries } = await loadEmbedEntries()
  const { flags, output, signal } = input
  const progress = reportProgress(output, { quiet: flags.has("quiet"), verbose: flags.has("verbose") })
  try {
    const report = await withMemory(input, (memory) =>
      embedEntries(memory, {
        signal,
        onProgress: (done, total) => progress.update({ phase: "remember", done, total }),
      }),
    )
    const { embedder, dimensions, embedded, entries, read } = report
    const vectors =
      embedder === null
        ? `recall of ${entries} entries uses the table of word vectors`
        : `all ${entries} entries have vectors of ${embedder} (${dimensions} dimensions); ${embedded} new`
    return { data: report, text: `${vectors}; ${plural(read, "note")} read beside others`, found: true }
  } finally {
    progress.done()
  }
}

/** From the calls that `aman report` reads, by the days of this machine's time zone, newest first. */
async function cost(input: Input): Promise<KnowledgeAnswer> {
  const { recordedCalls, sumsOf } = await loadRecordedCalls()
  const { root, ui } = await withMemory(input, async ({ root, config }) => ({ root, ui: config.ui }))
  const recorded = root === null ? [] : recordedCalls(root, new Date().toISOString())
  const calls = recorded.filter(({ tool }) => /^(?:remember|recall|knowledge|hook .*)$/.test(tool))
  const byDay = Map.groupBy(calls, ({ at }) => new Date(at).toLocaleDateString("sv"))
  const days = [...byDay].map(([day, own]) => ({ day, ...sumsOf(own) }))
  const lines = days.flatMap(({ day, memory_tokens, hook_tokens, tools }) => [
    `${day}  memory: ${plural(memory_tokens, "token")}; hooks: ${plural(hook_tokens, "token")}, also about code`,
    ...tools.map((of) => `  ${of.tool}: ${plural(of.calls, "call")}, ${plural(of.tokens, "token")}`),
  ])
  const text = days.length > 0 ? lines.join("\n") : noCalls(ui.recordsCalls)
  return { data: { root, recording: ui.recordsCalls, days }, text, found: true }
}

function unknownVerb(typed: string): AmanError {
  const named = nearest(typed, [...Object.keys(ACTIONS), ...OTHERS.keys()])
  const meant = meantByMemoryWord(typed) ?? (named && `memory ${named}`)
  const hint = meant ? `did you mean aman ${meant}?` : "see: aman memory --help"
  return new AmanError("USAGE", `unknown word ${JSON.stringify(typed)}`, { hint })
}

/** Converts the command line to a call; throws USAGE, which names the missing or surplus argument. */
export async function memoryCall(
  verb: ActionName,
  words: readonly string[],
  input: Input,
): Promise<KnowledgeCall> {
  const named = await textFromInput(verb, nameWords(verb, words), input)
  const flags = valuesFromFlags(input)
  // Positional words override flags.
  const args = { action: verb, ...flags, ...named, cwd: input.cwd, overwrite: true }
  const { words: takes, flags: flagUsage = "" }: Pick<Action, "words" | "flags"> = ACTIONS[verb]
  return toCall(args, `write: aman memory ${verb} ${inUsage(takes)} ${flagUsage}`.trimEnd())
}

/** Formats the argument names of an action for a usage line: "id text…?" as "ID [TEXT…]". */
export function inUsage(words: string): string {
  return words.toUpperCase().replace(/(\S+)\?/g, "[$1]")
}

/** Assigns words to the names in ACTIONS: "ids…" takes the rest as a list, "text…" joins the rest. */
function nameWords(verb: ActionName, words: readonly string[]): Record<string, unknown> {
  const rest = [...words]
  const names = ACTIONS[verb].words.split(" ").filter((name) => name !== "")
  const named = Object.fromEntries(names.map((name) => [wordName(name), takeWord(name, rest)] as const))
  if (rest.length === 0) return givenValues(named)
  const takes = names.join(" ") || "no words"
  throw new AmanError("USAGE", `${verb} takes ${takes}, but also got ${JSON.stringify(rest[0])}`, {
    hint: "put a text of several words in quotes; see: aman memory --help",
  })
}

function wordName(name: string): string {
  return name.startsWith("on|off") ? "how" : name.replace(/[…?]/g, "")
}

function takeWord(name: string, rest: string[]): unknown {
  if (rest.length === 0) return undefined
  if (name.includes("ids…")) return rest.splice(0)
  if (name.includes("…")) return rest.splice(0).join(" ")
  return name.startsWith("days") ? daysIn(rest.shift()!) : rest.shift()
}

function daysIn(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new AmanError("USAGE", `days must be a whole number, not ${JSON.stringify(text)}`)
}

/** Replaces the text "-" by all of stdin. The action merge-entries always reads its text from stdin. */
async function textFromInput(
  verb: ActionName,
  named: Record<string, unknown>,
  { signal }: Input,
): Promise<Record<string, unknown>> {
  const isPiped = named["text"] === "-" || verb === "merge-entries"
  return isPiped ? { ...named, text: await standardInput(signal) } : named
}

function valuesFromFlags({ flags }: Input): Record<string, unknown> {
  return givenValues(fromFlags(CALL, flags))
}

/** Leaves out absent and empty values, so that they do not override given ones. */
function givenValues(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  )
}

const REMEMBER_FLAGS: readonly Flag[] = [
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
that it seems to replace or that are about the same. --batch reads one object a line, {"text", "topic", "tags", "kind", "key", "source", "metadata", "recorded_at", "valid_from", "valid_until",
"author", "role", "session", "ordinal", "entities", "relations", "replaces"}, and prints the ids.`,
  flags: REMEMBER_FLAGS,
  refusals: { "--supersedes": "it is --replaces now" },
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
    const { rememberAll, rememberCompared } = await loadRemember()
    const { flags, output } = input
    const options = { ifNew: flags.has("if-new"), force: flags.has("force") }
    const answer = await withMemory(input, async (memory) => {
      // A batch prints ids only, so its entries are not compared with older ones.
      const stored = isBatch
        ? await rememberAll(memory, entries, options)
        : await rememberCompared(memory, entries, options)
      const answer = { ...stored, notices: [...stored.notices] }
      if (isBatch) {
        await memory.prepareRecall()
        answer.notices.push(...memory.configuredVectors.notices())
      }
      const team = flags.text("team")
      if (team === undefined) return answer
      const { markForTeam } = await loadSharing()
      markForTeam(
        memory,
        stored.entries.map(({ id }) => id),
        team,
      )
      return answer
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
  const { id: own, outcome, similar } = entries[0]!
  if (outcome === "existing") remarkNotices(input, ["an equal entry exists: nothing was stored"])
  remarkNotices(
    input,
    similar.map(({ id, text, reason }) => {
      const old = `${SIMILAR[reason]}: ${id} ${printableLine(text)}`
      const ifEnded = `; if that no longer holds: aman memory invalidate ${id} --successor ${own}`
      if (reason === "conflict") return `${old}${ifEnded}; if both hold: aman memory keep ${own} ${id}`
      return reason === "subject" ? `${old}${ifEnded}` : old
    }),
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
  const { readBatchFile } = await loadRemember()
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

export const recallCommand: Command = {
  usage: "[flags] QUERY...",
  details: `Finds memories by a question, some words or a name. Each result says when it was recorded, by whom, and
whether the code it is about has changed since. An entry that a newer one seems to replace is marked, and
comes after it where both fit the question. Without a query it lists the newest entries. Exits with 1 if nothing is found.`,
  flags: flagsOf(RECALL),
  examples: [
    { line: "aman recall why do retries stop at five", note: "a question" },
    { line: "aman recall --topic release --limit 3 branch", note: "within a topic" },
    { line: "aman recall --team '*' how to deploy", note: "what the team has shared" },
    { line: "aman recall --as-of 2025-03-01 who owns billing", note: "what was valid at that date" },
    {
      line: "aman recall --json --limit 5 -- QUERY",
      note: '{"query","results":[{"id","topic","text","freshness",…}],"took_ms"}',
    },
  ],
  async run(input) {
    const request = await recallRequest(input)
    const team = input.flags.text("team")
    const answer = await recallFrom(team, request, () => recallHere(input, request))
    if (input.flags.has("json")) await input.output.json(answer)
    else {
      await input.output.write(renderRecall(answer, request, input.output))
      if (answer.total === 0 && !input.flags.has("quiet"))
        input.output.remark("no memory matches; to see all of them: aman memory list\n")
      remarkNotices(input, answer.notices)
    }
    return answer.total > 0 ? EXIT.ok : EXIT.nothingFound
  },
}

async function recallHere(input: Input, request: RecallRequest): Promise<RecallAnswer> {
  const { recall } = await loadRecall()
  return withMemory(input, (memory) => recall(memory, request))
}

async function recallRequest({ words, flags, signal }: Input): Promise<RecallRequest> {
  const typed = words.join(" ")
  const query = (typed === "-" ? await standardInput(signal) : typed).trim()
  const { team: _, kind: __, ...request } = fromFlags(RECALL, flags, { query })
  return request
}

/** Formats hits for people: the text first, then its details. */
export function renderRecall(answer: RecallAnswer, request: RecallRequest, output: CommandOutput): string {
  const { colors: c } = output
  if (request.detail === "count") return `${answer.total}\n`
  if (answer.results.length === 0) return output.isTerminal ? `${c.dim("Nothing found.")}\n` : ""
  const blocks = request.by_topic
    ? byTopic(answer.results, output)
    : answer.results.map((hit) => hitBlock(hit, output))
  if (output.isTerminal) {
    const { total, confidence, took_ms } = answer
    const many = `${answer.results.length} of ${plural(total, "entry").replace("entrys", "entries")}`
    blocks.push(
      c.dim(
        `${many}, confidence ${confidenceWord(confidence)} (${confidence.toFixed(2)}), ${duration(took_ms)}\n`,
      ),
    )
  }
  return blocks.join("\n")
}

function byTopic(hits: readonly RecallHit[], output: CommandOutput): string[] {
  const topics = Map.groupBy(hits, ({ topic }) => topic)
  return [...topics].map(
    ([topic, group]) =>
      `${output.colors.bold(`# ${printableLine(topic)}`)}\n\n${group.map((hit) => hitBlock(hit, output)).join("\n")}`,
  )
}

function hitBlock(hit: RecallHit, output: CommandOutput): string {
  const { colors: c } = output
  const { id, heading, text, remarks } = entryText(hit)
  const shown = printable(text)
  const head =
    heading === null
      ? [`${c.magenta(id)}  ${shown}`]
      : [
          `${c.magenta(id)}  ${c.dim(printableLine(heading))}`,
          output.isTerminal ? wrap(shown, output.columns) : shown,
        ]
  const lines = [...head, ...remarks.map((remark) => c.yellow(printable(remark)))]
  if (hit.explanation)
    lines.push(
      ...hit.explanation.map(({ term, value }) => c.dim(`  ${term.padEnd(12)} +${value.toFixed(3)}`)),
    )
  return `${lines.join("\n")}\n`
}

/** Words that people and other tools use for commands of the memory, listed under the command that they mean. */
const WORDS_BY_COMMAND: Readonly<Record<string, string>> = {
  "memory delete ID": "forget remove rm del drop",
  "memory restore ID": "undo undelete unforget",
  "memory revise ID TEXT": "edit update set",
  "memory fix ID TEXT": "correct amend",
  "memory wrong ID": "false untrue incorrect",
  "memory keep IDS": "confirm coexist both",
  "memory get ID": "show view cat open read",
  "memory list": "ls all notes memories",
  "memory purge ID": "wipe erase destroy",
  "memory history ID": "log versions blame",
  "memory stale": "outdated check verify",
  "memory invalidate ID": "expire end retire deprecate",
  "memory merge-entries IDS": "combine join dedupe",
  "memory tag ID --tag TAG": "label",
  "recall QUERY": "search find query ask lookup",
  "remember TEXT": "add new store save create note write",
  "remember TEXT --replaces ID": "supersede supersedes replace replaces obsolete",
}

const COMMAND_BY_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS_BY_COMMAND).flatMap(([line, words]) =>
    words.split(" ").map((word) => [word, line] as const),
  ),
)

/** The command meant by an unknown word after `aman memory`; undefined if unknown. */
function meantByMemoryWord(word: string): string | undefined {
  return COMMAND_BY_WORD.get(word.toLowerCase())
}

/**
 * The memory command meant by an unknown word after `aman`; undefined for a word that has other meanings
 * besides memory, such as "list".
 */
export function meantByWord(word: string): string | undefined {
  if (/^(?:forget|notes|memories|note|unforget|supersede)$/.test(word)) return COMMAND_BY_WORD.get(word)
  return isAction(word) && !AMBIGUOUS_ACTIONS.test(word) ? `memory ${word}` : undefined
}

/** Actions on the memory whose names could also refer to an index, files or symbols. */
const AMBIGUOUS_ACTIONS =
  /^(?:list|get|delete|stats|history|path|refresh|link|share|sync|rebuild|export|import|related)$/
