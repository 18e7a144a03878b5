import type { ScaleRun } from "./scale.ts"
import { type Cell, judge, type Limit, limitText, type Table } from "./table.ts"

type Row = {
  readonly name: string
  readonly digits: number
  readonly of: (run: ScaleRun) => number | null
  readonly limit: (run: ScaleRun) => Limit | null
  readonly target: string
}

// Sizes for which the limits below hold. Projects of more than 5,000 files must be indexed at 100 files/s.
const SMALL_FILES = 5_000
const LARGE_FILES = 50_000
const LARGE_CHUNKS = 100_000

const ROWS: readonly Row[] = [
  { name: "files", digits: 0, of: (run) => run.files, limit: none, target: "" },
  { name: "chunks", digits: 0, of: (run) => run.chunks, limit: none, target: "" },
  row("initialize without index, ms", 0, (run) => run.initializeMs, always(100)),
  row("keyword-ready, s", 1, (run) => run.keywordReadyS),
  row("cold index, whole process, s", 1, (run) => run.coldS, {
    limit: ({ files }) => ({ max: files <= SMALL_FILES ? 15 : files / 100 }),
    target: "≤ 15 to 5,000 files, then 100 files/s",
  }),
  row("  … of processors, s", 1, (run) => run.cpuS),
  row("peak memory, MB", 0, (run) => run.peakMb, {
    limit: ({ files }) => (files <= LARGE_FILES ? { max: 400 } : null),
    target: "≤ 400, flat to 50,000 files",
  }),
  row("index with no change, ms", 0, (run) => run.unchangedMs, {
    limit: ({ files }) => (files <= SMALL_FILES ? { max: 300 } : null),
    target: "≤ 300 at 5,000 files",
  }),
  row("aman search, whole process p50, ms", 0, (run) => run.searchMs, {
    limit: ({ chunks }) => ({ max: chunks > LARGE_CHUNKS ? 150 : 80 }),
    target: "≤ 80, ≤ 150 at 300,000 chunks",
  }),
  row("server that reads: private after 40 queries, MB", 0, ({ busy }) => mega(busy?.anonymousBytes)),
  row("  … and at rest, MB", 0, ({ rested }) => mega(rested?.anonymousBytes), always(50)),
  row("  … and resident at rest, MB", 0, ({ rested }) => mega(rested?.residentBytes), {
    limit: ({ chunks }) => ({ max: 280 * Math.max(1, chunks / 100_000) }),
    target: "≤ 280 per 100,000 chunks",
  }),
  row(
    "keyword files per 100,000 chunks, MB",
    1,
    (run) => per100k(run.keywordBytes / 1e6, run.chunks),
    always(40),
  ),
  row("vector files per 100,000 chunks, MB", 1, (run) => per100k(run.vectorBytes / 1e6, run.chunks)),
  row("whole index per 100,000 chunks, MB", 1, (run) => per100k(run.indexBytes / 1e6, run.chunks)),
]

/** A table with a row for each measurement and a column for each project. */
export function scaleTable(runs: readonly ScaleRun[]): Table {
  return {
    title: "Projects as they grow",
    columns: [{ name: "" }, ...runs.map(({ name }) => ({ name })), { name: "target" }],
    rows: ROWS.map((row) => [row.name, ...runs.map((run) => cell(row, run)), row.target]),
    notes: [
      "generated trees: real files of the corpus, then variants of them with other paths and identifiers",
      "private: anonymous memory of an aman serve whose index another process keeps; at rest: 5 s later",
    ],
  }
}

function cell(row: Row, run: ScaleRun): Cell {
  return judge(row.of(run), row.limit(run), row.digits)
}

function row(
  name: string,
  digits: number,
  of: Row["of"],
  judged: Pick<Row, "limit" | "target"> = { limit: none, target: "" },
): Row {
  return { name, digits, of, ...judged }
}

function always(max: number): Pick<Row, "limit" | "target"> {
  return { limit: () => ({ max }), target: limitText({ max }) }
}

function none(): null {
  return null
}

function mega(bytes: number | undefined): number | null {
  return bytes === undefined ? null : bytes / 1e6
}

function per100k(amount: number, chunks: number): number {
  return (amount * 100_000) / Math.max(1, chunks)
}
