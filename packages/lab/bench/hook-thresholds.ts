import { join } from "node:path"
import { entriesForPrompt, type Recalled } from "../../../src/doors/hooks/notes/prompt-entries.ts"
import { promptNames } from "../../../src/doors/hooks/notes/prompt-names.ts"
import { IndexReader, indexPath } from "../../../src/index/index.ts"
import { settle } from "../../../src/memory/conflicts/settle.ts"
import { RecallIndex } from "../../../src/memory/recall/index/recall-index.ts"
import { matchFiles } from "../../../src/search/index.ts"
import { PLAIN_DOCUMENT } from "../../../test/recall-document.ts"
import { noteOf } from "../../../test/truth-pairs.ts"
import generalPrompts from "./general-prompts.json"
import { type Note, readNotes, readQuestions } from "./knowledge-data.ts"
import { type LabelledRepository, samePath } from "./labels.ts"
import { runIndex } from "./processes.ts"
import type { Bench } from "./section.ts"
import type { Table } from "./table.ts"

const SHOWN = 3
/**
 * Numbers of projects whose notes are put into one store, so that it is as large as after a week, after a year,
 * or with many projects.
 */
const STORES = [1, 3, 8, 20] as const
const MIN_NOTES = 15

/**
 * Counts for texts of one kind: all, those for which the hook returned something, and those for which that was
 * right.
 */
class Tally {
  asked = 0
  said = 0
  right = 0

  add(isSaid: boolean, isRight = false): void {
    this.asked++
    if (isSaid) this.said++
    if (isSaid && isRight) this.right++
  }

  share(of: "said" | "right"): number {
    return this.asked === 0 ? 0 : (100 * this[of]) / this.asked
  }
}

type Tallies = { readonly real: Tally; readonly others: Tally; readonly general: Tally }

function tallies(): Tallies {
  return { real: new Tally(), others: new Tally(), general: new Tally() }
}

/**
 * Compares questions about the notes with questions about other projects and with general prompts to agents.
 */
export async function noteThresholdTable({ labels }: Bench): Promise<Table> {
  const groups = Map.groupBy(readNotes(), ({ ref }) => ref.split("-")[0]!)
  const projects = [...groups.values()].filter((notes) => notes.length >= MIN_NOTES)
  const foreign = labels.flatMap(({ queries }) => queries.map(({ query }) => query))
  const rows = STORES.map(async (size) => {
    const tally = tallies()
    const stores = chunksOf(projects, size).map((parts) => parts.flat())
    for (const notes of stores) await tallyNotes(tally, notes, foreign)
    const average = stores.reduce((sum, { length }) => sum + length, 0) / stores.length
    return [`notes, ${average.toFixed(0)} in a store`, ...cellsOf(tally)] as const
  })
  return {
    title: "Prompts at which hooks speak of notes, %",
    columns: COLUMNS,
    rows: await Promise.all(rows),
  }
}

async function tallyNotes(
  { real, others, general }: Tallies,
  notes: readonly Note[],
  foreign: readonly string[],
): Promise<void> {
  const entries = new Map(notes.map(({ ref, text, recorded_at }) => [ref, noteOf(ref, text, recorded_at)]))
  const index = new RecallIndex()
  await index.upsert(
    notes.map(({ ref, text, topic, tags = [], recorded_at }) => ({
      ...{ ...PLAIN_DOCUMENT, id: ref, text, topic, tags, recordedAt: recorded_at },
    })),
  )
  const said = async (text: string) => {
    const { hits, confidence } = await index.search(text, { limit: 20 })
    const found = hits.map((hit) => ({ ...hit, entry: entries.get(hit.document.id)! }))
    const settled = settle(text, found, { at: "2100-01-01T00:00:00.000Z", odds: () => null })
    const names = promptNames(text, () => false)
    return entriesForPrompt({ hits: settled, confidence } as Recalled, names).map(({ hit }) => hit.entry.id)
  }
  for (const { question, answers } of readQuestions()) {
    const ids = await said(question)
    if (answers.some((ref) => entries.has(ref)))
      real.add(
        ids.length > 0,
        ids.some((id) => answers.includes(id)),
      )
    else others.add(ids.length > 0)
  }
  for (const query of foreign) others.add((await said(query)).length > 0)
  for (const prompt of generalPrompts) general.add((await said(prompt)).length > 0)
}

/** Compares the labelled queries of each repository with those of the others. */
export function codeThresholdTable(bench: Bench): Table {
  const tally = tallies()
  for (const repository of bench.labels) {
    bench.note(`prompts against ${repository.name}`)
    tallyCode(tally, bench, repository)
  }
  const rows = [[`code, ${bench.labels.length} repositories`, ...cellsOf(tally)] as const]
  return { title: "Prompts at which hooks speak of code, %", columns: COLUMNS, rows }
}

function tallyCode(
  { real, others, general }: Tallies,
  bench: Bench,
  { name, root, queries }: LabelledRepository,
): void {
  const dir = join(bench.scratch, "labelled", name)
  runIndex(bench.binary, root, dir)
  using reader = new IndexReader(dir, indexPath(dir), root)
  const keyword = reader.keyword()
  const said = (text: string) => {
    const { files, strength } = matchFiles(keyword, text, SHOWN, 1)
    return strength >= 1 ? files.map(({ path }) => path) : []
  }
  for (const { query, targets } of queries) {
    const paths = said(query)
    real.add(
      paths.length > 0,
      paths.some((path) => targets.some((target) => samePath(path, target.path))),
    )
  }
  for (const other of bench.labels)
    if (other.name !== name) for (const { query } of other.queries) others.add(said(query).length > 0)
  for (const prompt of generalPrompts) general.add(said(prompt).length > 0)
}

const COLUMNS = [
  { name: "" },
  { name: "about it", digits: 0 },
  { name: "said", digits: 0 },
  { name: "and right", digits: 0 },
  { name: "about others", digits: 0 },
  { name: "said", digits: 1 },
  { name: "general", digits: 0 },
  { name: "said", digits: 1 },
] as const

function cellsOf({ real, others, general }: Tallies): readonly number[] {
  return [
    ...[real.asked, real.share("said"), real.share("right")],
    ...[others.asked, others.share("said"), general.asked, general.share("said")],
  ]
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
