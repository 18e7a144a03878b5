import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { AmanError } from "../../base/index.ts"
import { isSameSpace, type ReadPairs, sentenceEncoder } from "../../index/index.ts"
import { decodeText } from "../../text/index.ts"
import { inOrder, Readings, readTogether } from "../conflicts/readings.ts"
import { isConflict } from "../conflicts/settle.ts"
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
import { headline, isValidAt } from "../views/views.ts"
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
  const reason = `more than ${MAX_COMPARED} entries in one call are compared later (a server does it, or run: aman memory embed)`
  return { entries: compared.map(withoutLongTexts), notices: isCompared ? notices : [...notices, reason] }
}

/** Max entries of a call that are compared; each comparison reads some pairs, which takes up to 200 ms. */
const MAX_COMPARED = 10

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

/** Max other notes that one is read together with: those that recall ranks first for its text; how many may be about the same. */
const [MAX_OTHERS, MAX_ALIKE] = [8, 3]

/** Adds to `similar` the older notes that each stored note seems to update or contradict, and those about the same subject. */
async function withConflicts(memory: Memory, remembered: readonly RememberResult[]) {
  const loaded = await memory.loaded()
  const compared: RememberResult[] = []
  for (const result of remembered) {
    const entry = result.outcome === "existing" ? undefined : loaded.entries.get(result.id)
    const found = entry === undefined ? [] : await olderAlike(memory, loaded, entry)
    const rest = result.similar.filter(({ id }) => !found.some((each) => each.id === id))
    compared.push({ ...result, similar: [...found, ...rest] })
  }
  return compared
}

/**
 * The older notes that a note seems to update or contradict, and those about the same subject, of which only the writer knows
 * whether they still hold. What was read of the note is stored. Messages of a conversation are not compared.
 */
async function olderAlike(memory: Memory, loaded: LoadedMemory, entry: Entry): Promise<SimilarEntry[]> {
  if (entry.session !== null) return []
  const { others, odds } = await compare(memory, loaded, entry, AT_ONCE)
  const older = others.filter((each) => isOlder(each, entry))
  const conflicts = older.filter((each) => isConflict(each.entry, entry, odds))
  const left = older.slice(0, MAX_ALIKE).filter((each) => !conflicts.includes(each))
  const alike = left.filter(({ meaning }) => meaning >= SAME_SUBJECT).slice(0, MAX_SUBJECT)
  return [...conflicts.map(similarAs("conflict")), ...alike.map(similarAs("subject"))]
}

/** A line for each older note that one of these entries, which were changed, seems to update or contradict. */
export async function conflictLines(memory: Memory, entries: readonly Entry[]): Promise<string[]> {
  const loaded = await memory.loaded()
  const lines: string[] = []
  for (const { id } of entries.slice(0, MAX_COMPARED)) {
    const entry = loaded.entries.get(id)
    const holds = entry !== undefined && isValidAt(entry, new Date().toISOString())
    const older = holds ? await olderAlike(memory, loaded, entry) : []
    for (const { id: other, text, reason } of older)
      if (reason === "conflict")
        lines.push(
          `${id} seems to make ${other} untrue (${headline(text)}): invalidate ${other} with the successor ${id}, or keep both`,
        )
  }
  return lines
}

/** Min score of a note that is read beside the new one, as a share of the best one's. */
const MIN_SHARE = 0.25

const AT_ONCE = { read: sentenceEncoder.readPairs, waits: false }

/** Reads a note together with those nearest to it, and stores what was read; `waits`: also while another process writes. */
export async function compare(
  memory: Memory,
  loaded: LoadedMemory,
  entry: Entry,
  { read, waits }: { readonly read: ReadPairs; readonly waits: boolean },
) {
  const { readings } = memory.knowledge
  const others = await nearestNotes(entry, loaded, await loaded.queryEmbedder())
  const known = readings.of([entry.id], Number.NEGATIVE_INFINITY)
  if (memory.config.embeddings.encoder === "off") return { others, odds: known.odds }
  const min = MIN_SHARE * (others[0]?.score ?? 0)
  const texts = others.filter(({ score }) => score >= min).map((each) => each.entry)
  const pairs = await readTogether(entry, texts, { known: known.odds, read })
  if (!memory.knowledge.readonly) readings.keep(entry, pairs, { waits })
  const fresh = new Readings(pairs)
  return { others, odds: (a: Entry, b: Entry) => fresh.odds(a, b) ?? known.odds(a, b) }
}

type NearNote = Awaited<ReturnType<typeof nearestNotes>>[number]

async function nearestNotes(entry: Entry, { index, entries }: LoadedMemory, ask: RecallOptions["ask"]) {
  const { hits, space } = await index.search(truncateQuestion(entry.text), {
    limit: MAX_OTHERS,
    accept: (other) => canConflict(other, entry),
    ...(ask && { ask }),
  })
  return hits.flatMap(({ document: { id }, score, window, cosine }) => {
    // SAME_SUBJECT was measured with the sentence encoder.
    const meaning = isSameSpace(space, sentenceEncoder.space) ? cosine : 0
    // Another process may have purged it meanwhile.
    return [entries.get(id) ?? []].flat().map((found) => ({ entry: found, score, window, meaning }))
  })
}

function isOlder({ entry }: NearNote, than: Entry): boolean {
  return inOrder(entry, than)[0] === entry
}

/** Cosine, less what candidates have in common, from which the writer is asked about older notes, and how many at most. */
const [SAME_SUBJECT, MAX_SUBJECT] = [0.45, 2]

function similarAs(reason: SimilarEntry["reason"]) {
  return ({ entry: { id, text }, score }: NearNote): SimilarEntry => ({ id, text, score, reason })
}

/** True for a note that is still valid and belongs to the same project or to all projects. */
function canConflict(other: RecallDocument, { id, project }: Entry): boolean {
  const isValid = other.validUntil === null || Date.parse(other.validUntil) > Date.now()
  const isOpen = other.supersededAt === null && isValid && other.session === null
  const isReachable = other.project === null || project === null || other.project === project
  return isOpen && isReachable && other.id !== id
}
