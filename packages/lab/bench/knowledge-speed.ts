import { rmSync } from "node:fs"
import { join } from "node:path"
import { openKnowledge } from "../../../src/ask/knowledge-library.ts"
import { manyNotes, type Note, type Question, readQuestions } from "./knowledge-data.ts"
import { NoteStore } from "./knowledge-store.ts"
import type { McpChild } from "./mcp-child.ts"
import { memoryOf, processorMsOf, type Ran } from "./processes.ts"
import type { Bench } from "./section.ts"
import { findServerMemory, ServerMemory } from "./server-memory.ts"
import { median, percentile, sample } from "./stats.ts"
import { judge, type Limit, limitText, type Table } from "./table.ts"

type Row = readonly [name: string, value: number | null, limit: Limit | null]

const MANY = 10_000
const FEW = 1000
const TRIES = 9
const REMEMBERED = 100
const ASKED = 400
/** Number of questions after which most of the code that a process runs is compiled. */
const COMPILING = 200
/**
 * Number of different questions among these; all other questions are measured when they are asked for the first time.
 */
const WARMING = 100

/** Measures how long remembering and recalling take by command line, MCP server and library. */
export async function speedTable(bench: Bench, notes: readonly Note[]): Promise<Table> {
  bench.note(`remembering ${MANY} notes …`)
  const many = new NoteStore(bench.binary, join(bench.scratch, "notes-many"), manyNotes(notes, MANY))
  const few = new NoteStore(bench.binary, join(bench.scratch, "notes-few"), manyNotes(notes, FEW))
  const questions = readQuestions()
  const rows: Row[] = [
    [`remember --batch of ${MANY}, ms a note`, many.remembered.wallMs / MANY, null],
    [`remember --batch of ${MANY}, peak MB`, megabytes(many.remembered.peakBytes), null],
    ...(await openRows(many, questions)),
    ...(await warmRows(bench, many, questions)),
    ...processRows(few, FEW, questions, { max: 120 }),
    ...processRows(many, MANY, questions, null),
    ...(await libraryRows(few, questions)),
    ...(await serverMemoryRows(bench, manyNotes(notes, MANY), questions)),
  ]
  return {
    title: "Knowledge: what it costs, through the doors",
    columns: [{ name: "" }, { name: "value", digits: 1 }, { name: "target" }],
    rows: rows.map(([name, value, limit]) => [name, judge(value, limit), limitText(limit)]),
  }
}

/** Time of the first recall of a fresh server, minus the time of the same recall when it is warm. */
async function openRows(store: NoteStore, questions: readonly Question[]): Promise<Row[]> {
  const opened: number[] = []
  for (const question of sample(questions, TRIES)) {
    await using server = await store.serve()
    const first = await timeOf(server, question)
    opened.push(first - (await timeOf(server, question)))
  }
  return [[`opening ${MANY} notes, best of ${TRIES}, ms`, Math.min(...opened), { max: 300 }]]
}

async function warmRows(bench: Bench, store: NoteStore, questions: readonly Question[]): Promise<Row[]> {
  await using server = await store.serve()
  bench.note("a warm server …")
  const recalled: number[] = []
  await timeOf(server, questions[0]!)
  const before = spentBy(server)
  for (let i = 0; i < ASKED; i++) recalled.push(await timeOf(server, questions[i % questions.length]!))
  const spent = before === null ? null : (spentBy(server)! - before) / ASKED
  const remembered: number[] = []
  const after: number[] = []
  for (let i = 0; i < REMEMBERED; i++) {
    const started = performance.now()
    await server.call("remember", {
      text: `Rack ${i} of the new cellar has ${i * 7} free units.`,
      topic: "racks",
    })
    remembered.push(performance.now() - started)
    after.push(await timeOf(server, questions[i % questions.length]!))
  }
  const memory = server.pid === null ? null : memoryOf(server.pid)
  return [
    [`recall, ${MANY} notes, warm, p50 ms`, median(recalled), { max: 5 }],
    ["… p99 ms", percentile(recalled, 0.99), { max: 20 }],
    ["… of processors, mean ms", spent, null],
    [`remember, ${MANY} notes, warm, p50 ms`, median(remembered), { max: 5 }],
    ["… p99 ms", percentile(remembered, 0.99), null],
    ["recall right after it, p50 ms", median(after), null],
    [`memory of that server, MB`, megabytes(memory?.residentBytes ?? null), null],
  ]
}

/** Measures the library in this process. */
async function libraryRows(store: NoteStore, questions: readonly Question[]): Promise<Row[]> {
  using knowledge = await openKnowledge({ path: store.database, folder: store.root })
  const ask = async (query: string) => {
    const started = performance.now()
    await knowledge.recall(query)
    return performance.now() - started
  }
  const opened = await ask(questions[0]!.question)
  const compiling: number[] = []
  for (let i = 0; i < COMPILING; i++) compiling.push(await ask(questions[i % WARMING]!.question))
  const first: number[] = []
  for (const { question } of questions.slice(WARMING)) first.push(await ask(question))
  return [
    [`library, ${FEW} notes: first recall, ms`, opened, null],
    [
      `… recall p50 ms, ${WARMING} questions asked up to ${COMPILING} times in all, while the engine compiles`,
      median(compiling),
      null,
    ],
    [`… then ${first.length} others, each asked for the first time, p50 ms`, median(first), { max: 1 }],
  ]
}

/** The same measurements for the official memory server, which reads and writes its whole file in each call. */
async function serverMemoryRows(
  bench: Bench,
  notes: readonly Note[],
  questions: readonly Question[],
): Promise<Row[]> {
  const script = findServerMemory(bench.serverMemory)
  if (script === null) return []
  bench.note("the official memory server …")
  const file = join(bench.scratch, "server-memory-many.jsonl")
  rmSync(file, { force: true })
  await using server = new ServerMemory(script, file)
  await server.start()
  const batched = await server.store(notes)
  const one = { ...notes[0]!, ref: "one more", text: "Rack 0 of the new cellar has no free units." }
  const remembered: number[] = []
  for (let i = 0; i < TRIES; i++) remembered.push(await server.store([{ ...one, topic: `racks ${i}` }]))
  const engine = server.eachWord()
  const asked: number[] = []
  for (const question of sample(questions, TRIES)) asked.push((await engine.ask(question)).tookMs)
  return [
    ["server-memory: 100 entities a call, ms a note", batched, null],
    [`… one entity more, ${MANY} stored, ms`, median(remembered), null],
    ["… search_nodes with each word of a question, ms", median(asked), null],
  ]
}

async function timeOf(server: McpChild, { question }: Question): Promise<number> {
  const started = performance.now()
  await server.call("recall", { query: question, limit: 10 })
  return performance.now() - started
}

function processRows(
  store: NoteStore,
  notes: number,
  questions: readonly Question[],
  limit: Limit | null,
): Row[] {
  const runs = sample(questions, TRIES).map((question) => store.recall(question, 10))
  const min = (of: (ran: Ran) => number) => Math.min(...runs.map(of))
  return [
    [`aman recall as a process, ${notes} notes, best of ${TRIES}, ms`, min(({ wallMs }) => wallMs), limit],
    ["… of processors, ms", min(({ cpuMs }) => cpuMs), null],
  ]
}

function spentBy({ pid }: McpChild): number | null {
  return pid === null ? null : processorMsOf(pid)
}

function megabytes(bytes: number | null): number | null {
  return bytes === null ? null : bytes / 1e6
}
