import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { AmanError } from "../../base/index.ts"
import { isSameSpace, sentenceEncoder } from "../../index/index.ts"
import { decodeText } from "../../text/index.ts"
import { settle } from "../conflicts/settle.ts"
import type {
  Entry,
  EntryInput,
  NewEntry,
  RememberOptions,
  RememberResult,
  SimilarEntry,
} from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { type BatchOptions, readBatch } from "../formats/batch.ts"
import type { BadLine } from "../formats/input-lines.ts"
import type { RecallDocument } from "../recall/index/analyse.ts"
import type { RecallOptions } from "../recall/index/recall-index.ts"
import { headline } from "../views/views.ts"
import { resolveEntryName, withCapturedSource } from "./entries/entry-names.ts"
import type { Memory } from "./memory.ts"
import { type LoadedMemory, truncateQuestion } from "./recall.ts"
import type { RememberAnswer } from "./requests.ts"
import { refuseSecretFile } from "./source-files.ts"

/** Stores all entries in one transaction, or none. */
export async function rememberAll(
  memory: Memory,
  inputs: readonly EntryInput[],
  options: RememberOptions = {},
): Promise<RememberAnswer> {
  return (await prepareRemember(memory, inputs, options))()
}

/**
 * Like `rememberAll`, and lists in `similar` the older entries that each new note seems to update or contradict, or
 * that are about the same.
 */
export async function rememberCompared(
  memory: Memory,
  inputs: readonly EntryInput[],
  options: RememberOptions = {},
): Promise<RememberAnswer> {
  const { entries, notices } = await rememberAll(memory, inputs, options)
  const isCompared = entries.length <= MAX_COMPARED
  const compared = isCompared ? await withConflicts(memory, entries) : entries
  const reason = `more than ${MAX_COMPARED} entries in one call are not compared with older ones`
  return { entries: compared.map(withoutLongTexts), notices: isCompared ? notices : [...notices, reason] }
}

/** Max entries of a call that are compared; each comparison searches the store, which takes some milliseconds. */
const MAX_COMPARED = 100

/**
 * Does the asynchronous work for storing entries, such as reading their sources. The returned function stores them
 * synchronously, inside a transaction.
 */
export async function prepareRemember(
  memory: Memory,
  inputs: readonly EntryInput[],
  options: RememberOptions,
): Promise<() => RememberAnswer> {
  const notices = new Set<string>()
  if (memory.root === null && inputs.some(({ global }) => !global))
    notices.add("this folder is not in a project: stored for all projects")
  const entries: NewEntry[] = []
  for (const input of inputs) {
    const { fields, notice } = await withCapturedSource(memory, input)
    if (notice !== null) notices.add(notice)
    const project = input.global ? null : await memory.ownProject()
    entries.push({ ...fields, project })
  }
  return () => {
    const resolved = entries.map(({ replaces, ...entry }) => ({
      ...entry,
      // Here, because an earlier file of an import may add the key.
      ...(replaces && { replaces: replaces.map((name) => resolveEntryName(memory, name)) }),
    }))
    const remembered = memory.knowledge.remember(resolved, options)
    for (const { id, untaken = [] } of remembered)
      if (untaken.length > 0)
        notices.add(
          `${id} has the same text, so nothing was changed; to change its ${untaken.join(", ")}, revise it`,
        )
    for (const [at, { id }] of remembered.entries()) {
      const { key } = entries[at]!
      const stored = key ? memory.knowledge.get([id])[0]!.key! : null
      if (stored !== null && comparable(stored) !== comparable(key!))
        notices.add(`the key ${key} counts as ${stored}, the key of ${id}`)
    }
    return { entries: remembered.map(withoutLongTexts), notices: [...notices, ...memory.notices] }
  }
}

/** Max characters shown of a similar entry: enough to compare, while the whole text may be very long. */
const MAX_SIMILAR_TEXT = 300

function withoutLongTexts(entry: RememberResult): RememberResult {
  const similar = entry.similar.map((each) => ({ ...each, text: headline(each.text, MAX_SIMILAR_TEXT) }))
  return { ...entry, similar }
}

/** Entries of a JSON Lines file, or of stdin when `file` is "-", with a notice for each skipped line. */
export async function readBatchFile(
  file: string,
  cwd: string,
  stdin: ReadableStream<Uint8Array>,
  options: BatchOptions = {},
) {
  const bytes = file === "-" ? await new Response(stdin).bytes() : bytesOf(resolve(cwd, file))
  const text = decodeText(bytes)?.text
  if (text === undefined)
    throw new AmanError("NOT_TEXT", `${file} is not a text file`, { hint: "give a JSON Lines file" })
  const { entries, bad } = readBatch(text, file, options)
  return { entries, notices: leftOutLines(file === "-" ? "stdin" : file, bad) }
}

/** One notice for each skipped line, with the reason. */
export function leftOutLines(file: string, bad: readonly BadLine[]): string[] {
  return bad.map(({ line, message }) => `${file}:${line} was skipped: ${message}`)
}

function bytesOf(path: string): Uint8Array {
  refuseSecretFile(path)
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new AmanError("NOT_FOUND", `cannot read ${path}: ${(cause as Error).message}`, {
      hint: "give a JSON Lines file, or - for stdin",
      cause,
    })
  }
}

/**
 * Max older entries that a new one is compared with: those that recall ranks first for its text; and how many of them may be
 * about the same, because notes in like words about other things may rank above the one that is replaced.
 */
const [MAX_OLDER, MAX_ALIKE] = [8, 3]

/**
 * Adds to `similar` the older notes that each stored note seems to update or contradict, judged as `recall` judges two
 * hits, with the new note's own text as the question, and those about the same subject, of which only the writer knows
 * whether they still hold. Messages of a conversation are not compared.
 */
async function withConflicts(memory: Memory, remembered: readonly RememberResult[]) {
  const loaded = await memory.loaded()
  const ask = await loaded.queryEmbedder()
  const compared: RememberResult[] = []
  for (const result of remembered) {
    const entry = result.outcome === "existing" ? undefined : loaded.entries.get(result.id)
    const isNote = entry !== undefined && entry.session === null
    const older = isNote ? await olderNotes(entry, loaded, ask) : []
    const conflicts = older.filter((each) => isConflict(entry!, each))
    const left = older.slice(0, MAX_ALIKE).filter((each) => !conflicts.includes(each))
    const alike = left.filter(({ meaning }) => meaning >= SAME_SUBJECT).slice(0, MAX_SUBJECT)
    const found = [...conflicts.map(similarAs("conflict")), ...alike.map(similarAs("subject"))]
    const others = result.similar.filter(({ id }) => !found.some((each) => each.id === id))
    compared.push({ ...result, similar: [...found, ...others] })
  }
  return compared
}

/** The older notes that are still valid and that this one seems to update or contradict. */
export async function conflictsOf(entry: Entry, loaded: LoadedMemory): Promise<readonly Entry[]> {
  const older = await olderNotes(entry, loaded, await loaded.queryEmbedder())
  return older.filter((each) => isConflict(entry, each)).map((each) => each.entry)
}

type OlderNote = Awaited<ReturnType<typeof olderNotes>>[number]

async function olderNotes(entry: Entry, { index, entries }: LoadedMemory, ask: RecallOptions["ask"]) {
  const { hits, space } = await index.search(truncateQuestion(entry.text), {
    limit: MAX_OLDER,
    accept: (older) => canConflict(older, entry),
    ...(ask && { ask }),
  })
  return hits.flatMap(({ document: { id }, score, window, cosine }) => {
    // SAME_SUBJECT was measured with the sentence encoder.
    const meaning = isSameSpace(space, sentenceEncoder.space) ? cosine : 0
    // Another process may have purged it meanwhile.
    return [entries.get(id) ?? []].flat().map((entry) => ({ entry, score, window, meaning }))
  })
}

function isConflict(entry: Entry, older: OlderNote): boolean {
  const both = [older, { entry, score: older.score }]
  const settled = settle(truncateQuestion(entry.text), both, { at: entry.recordedAt })
  const { outdatedBy, contradicts } = settled.find(({ hit }) => hit === older)!.mark
  return outdatedBy === entry.id || contradicts.includes(entry.id)
}

/** Cosine, less what candidates have in common, from which the writer is asked about older notes, and how many at most. */
const [SAME_SUBJECT, MAX_SUBJECT] = [0.45, 2]

function similarAs(reason: SimilarEntry["reason"]) {
  return ({ entry: { id, text }, score }: OlderNote): SimilarEntry => ({ id, text, score, reason })
}

/** True for an older note that is still valid and belongs to the same project or to all projects. */
function canConflict(older: RecallDocument, { id, project }: Entry): boolean {
  const isOpen = older.supersededAt === null && older.validUntil === null && older.session === null
  const isReachable = older.project === null || project === null || older.project === project
  return isOpen && isReachable && older.id !== id
}
