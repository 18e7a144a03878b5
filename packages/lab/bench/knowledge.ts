import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { conversationsTable } from "./conversations.ts"
import { fts5Engine, wordCountEngine } from "./knowledge-baselines.ts"
import { channelTable } from "./knowledge-channels.ts"
import { KINDS, type Note, type Question, readNotes, readQuestions } from "./knowledge-data.ts"
import {
  type Asked,
  answerable,
  askAll,
  confidenceAuc,
  type Engine,
  falseMarks,
  marksMissed,
  meanReciprocalRank,
  newestFirst,
  ofKind,
  recallAt5,
} from "./knowledge-score.ts"
import { speedTable } from "./knowledge-speed.ts"
import { NoteStore } from "./knowledge-store.ts"
import type { Bench, Section } from "./section.ts"
import { findServerMemory, ServerMemory } from "./server-memory.ts"
import { median } from "./stats.ts"
import type { Cell, Table } from "./table.ts"
import { truthPairsTable } from "./truth-pairs.ts"

type Result = { readonly name: string; readonly asked: readonly Asked[] }

/** Compares how well notes are found by aman and by other ways to store them. */
export const knowledgeSection: Section = {
  name: "knowledge",
  lacks: () => null,
  async run(bench) {
    const notes = readNotes()
    const questions = readQuestions()
    const store = new NoteStore(bench.binary, join(bench.scratch, "notes"), notes)
    const results: Result[] = await askStore(store, questions)
    for (const engine of [fts5Engine(notes, "OR"), fts5Engine(notes, "AND"), wordCountEngine(notes)]) {
      results.push({ name: engine.name, asked: await askAll(engine, questions) })
    }
    results.push(...(await askServerMemory(bench, notes, questions)))
    bench.note("what each channel does …")
    return [
      qualityTable(results, notes.length),
      truthTable(results[0]!.asked),
      truthPairsTable(),
      await channelTable(store.explain(), questions),
      await conversationsTable(bench.conversations, bench.note),
    ]
  },
}

/** Measures how long storing and finding notes take. */
export const knowledgeSpeedSection: Section = {
  name: "knowledge-speed",
  lacks: () => null,
  run: async (bench) => [await speedTable(bench, readNotes())],
}

async function askStore(store: NoteStore, questions: readonly Question[]): Promise<Result[]> {
  await using server = await store.serve()
  const engine = store.engine(server)
  return [{ name: engine.name, asked: await askAll(engine, questions) }]
}

async function askServerMemory(
  bench: Bench,
  notes: readonly Note[],
  questions: readonly Question[],
): Promise<Result[]> {
  const script = findServerMemory(bench.serverMemory)
  if (script === null) {
    bench.note("the official memory server is not here: --server-memory FILE")
    return []
  }
  const folder = join(bench.scratch, "server-memory")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await using server = new ServerMemory(script, join(folder, "memory.jsonl"))
  await server.start()
  bench.note(`server-memory: ${(await server.store(notes)).toFixed(2)} ms to store a note, 100 a call`)
  const results: Result[] = []
  for (const engine of [server.whole(), server.eachWord()] satisfies Engine[]) {
    results.push({ name: engine.name, asked: await askAll(engine, questions) })
  }
  return results
}

function qualityTable(results: readonly Result[], notes: number): Table {
  const asking = KINDS.filter((kind) => kind !== "negative")
  return {
    title: `Finding one of ${notes} notes: MRR by kind of question`,
    columns: [
      { name: "" },
      ...["recall@5", "MRR", ...asking, "newest first", "AUC of knowing"].map((name) => ({
        name,
        digits: 3,
      })),
      { name: "p50 ms", digits: 2 },
    ],
    rows: results.map(({ name, asked }) => [
      name,
      recallAt5(answerable(asked)),
      meanReciprocalRank(answerable(asked)),
      ...asking.map((kind) => meanReciprocalRank(ofKind(asked, kind))),
      newestFirst(asked),
      confidenceAuc(asked),
      median(asked.map(({ answered }) => answered.tookMs)),
    ]),
    notes: [
      `${KINDS.map((kind) => `${kind} ${ofKind(results[0]!.asked, kind).length}`).join(", ")} questions`,
    ],
  }
}

/** Table of wrong and missing marks on outdated or contradicted notes. */
function truthTable(asked: readonly Asked[]): Table {
  const rows: readonly (readonly [string, Cell])[] = [
    ["outdated by a newer value, shown without a mark", marksMissed(ofKind(asked, "updated"))],
    ["denied by a newer note, shown without a mark", marksMissed(ofKind(asked, "contradiction"))],
    ["true of different things, and one of them marked", falseMarks(ofKind(asked, "different"))],
    ["any other answer that is true, and marked", falseMarks(others(asked))],
  ]
  return {
    title: "Marks of what no longer holds: share of errors",
    columns: [{ name: "" }, { name: "share" }],
    rows,
  }
}

function others(asked: readonly Asked[]): Asked[] {
  return answerable(asked).filter(({ question }) => question.kind !== "different")
}
