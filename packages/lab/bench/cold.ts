import { join } from "node:path"
import { mean } from "./labels.ts"
import { languagesTable } from "./languages.ts"
import { run, runColdIndex } from "./processes.ts"
import { type Bench, lacksCorpus, type Section } from "./section.ts"
import { median } from "./stats.ts"
import { judge, limitText, type Table } from "./table.ts"

type ColdRun = {
  readonly name: string
  readonly files: number
  readonly chunks: number
  readonly wallS: number
  readonly keywordReadyS: number
  readonly durationS: number
  readonly cpuS: number
  readonly peakMb: number | null
}

const TRIES = 3
const VERSION_TRIES = 20
const MAX_KEYWORD_READY_S = { max: 0.5 }
const MAX_WALL_S = { max: 1 }
const MAX_VERSION_MS = { max: 15 }

/**
 * Measures a first index of each labelled repository, and of the files of each language, by running whole
 * processes.
 */
export const coldSection: Section = {
  name: "cold",
  lacks: lacksCorpus,
  async run(bench) {
    const runs = bench.labels.map(({ name, root }) => {
      const best = bestOf(bench, name, root)
      bench.note(`${name}: ${best.wallS.toFixed(2)} s`)
      return best
    })
    return [coldTable(runs), languagesTable(bench), startTable(bench)]
  },
}

function bestOf(bench: Bench, name: string, root: string): ColdRun {
  const runs = Array.from({ length: TRIES }, () =>
    runColdIndex(bench.binary, root, join(bench.scratch, "labelled", name)),
  ).sort((a, b) => a.wallMs - b.wallMs)
  const { report, wallMs, cpuMs } = runs[0]!
  const peaks = runs.flatMap(({ peakBytes }) => peakBytes ?? [])
  return {
    name,
    files: report.files,
    chunks: report.chunks,
    wallS: wallMs / 1000,
    keywordReadyS: report.keyword_ready_ms / 1000,
    durationS: report.duration_ms / 1000,
    cpuS: cpuMs / 1000,
    peakMb: peaks.length === 0 ? null : Math.max(...peaks) / 1e6,
  }
}

function coldTable(runs: readonly ColdRun[]): Table {
  const row = (of: (values: readonly number[]) => number) => ({
    files: of(runs.map((run) => run.files)),
    chunks: of(runs.map((run) => run.chunks)),
    wallS: of(runs.map((run) => run.wallS)),
    keywordReadyS: of(runs.map((run) => run.keywordReadyS)),
    durationS: of(runs.map((run) => run.durationS)),
    cpuS: of(runs.map((run) => run.cpuS)),
    peakMb: runs.some((run) => run.peakMb === null) ? null : of(runs.map((run) => run.peakMb!)),
  })
  const cells = (name: string, r: Omit<ColdRun, "name">) =>
    [name, r.files, r.chunks, r.keywordReadyS, r.durationS, r.wallS, r.cpuS, r.peakMb] as const
  const average = row(mean)
  return {
    title: `Cold aman index, best of ${TRIES}`,
    columns: [
      { name: "" },
      { name: "files", digits: 0 },
      { name: "chunks", digits: 0 },
      { name: "keyword-ready s" },
      { name: "index s" },
      { name: "process s" },
      { name: "of processors s" },
      { name: "peak MB", digits: 0 },
    ],
    rows: [
      ...runs.map((run) => cells(run.name, run)),
      cells("median", row(median)),
      [
        ...cells("mean", average).slice(0, 3),
        judge(average.keywordReadyS, MAX_KEYWORD_READY_S),
        average.durationS,
        judge(average.wallS, MAX_WALL_S),
        average.cpuS,
        average.peakMb,
      ],
      ["target of mean", "", "", limitText(MAX_KEYWORD_READY_S), "", limitText(MAX_WALL_S), "", ""],
    ],
  }
}

function startTable(bench: Bench): Table {
  const times = Array.from({ length: VERSION_TRIES }, () => run([bench.binary, "version"]).wallMs)
  return {
    title: "Start of the program",
    columns: [{ name: "" }, { name: "p50 ms", digits: 1 }, { name: "target" }],
    rows: [["aman version", judge(median(times), MAX_VERSION_MS), limitText(MAX_VERSION_MS)]],
  }
}
