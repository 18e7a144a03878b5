import { mkdirSync, rmSync } from "node:fs"
import { childEnv, memoryOf } from "./processes.ts"
import { treesOf } from "./scale.ts"
import { lacksCorpus, type Section } from "./section.ts"
import { type Cell, judge } from "./table.ts"

/** Names of the phases that `aman index` prints on stderr, one line per second. */
const PHASES = ["Looking", "Reading", "Writing", "Embedding", "Linking"] as const
type Phase = (typeof PHASES)[number]

const SAMPLE_MS = 50
const MAX_RESIDENT = 400
/** Max resident MB of a phase; null for building graphs, which respects the memory limit instead. */
const limitOf = (phase: Phase) => (phase === "Linking" ? null : { max: MAX_RESIDENT })
const mega = (bytes: number | undefined) => (bytes === undefined ? null : bytes / 1e6)

/** Measures how much memory each phase of a first index takes. */
export const peaksSection: Section = {
  name: "peaks",
  lacks: (bench) =>
    process.platform === "linux" ? lacksCorpus(bench) : "Linux, which tells what is resident",
  async run(bench) {
    const rows: Cell[][] = []
    for (const { name, root, indexDir } of treesOf(bench)) {
      bench.note(`${name} …`)
      const peaks = await peaksOf([bench.binary, "index", "--root", root], indexDir)
      rows.push([name, ...PHASES.map((phase) => judge(mega(peaks.get(phase)), limitOf(phase), 0))])
    }
    return [
      {
        title: "Peak memory of a first index by phase, MB resident",
        columns: [{ name: "" }, ...PHASES.map((phase) => ({ name: phase.toLowerCase() }))],
        rows,
        notes: [`sampled every ${SAMPLE_MS} ms; the name of a phase comes up to a second late`],
      },
    ]
  },
}

/** Max resident bytes in each phase that the program printed. */
async function peaksOf(command: readonly string[], indexDir: string): Promise<Map<Phase, number>> {
  rmSync(indexDir, { recursive: true, force: true })
  mkdirSync(indexDir, { recursive: true })
  const env = childEnv({ AMAN_INDEX_DIR: indexDir })
  const child = Bun.spawn([...command], { env, stdout: "ignore", stderr: "pipe" })
  const peaks = new Map<Phase, number>()
  let phase: Phase = PHASES[0]
  const sampling = setInterval(() => {
    const resident = memoryOf(child.pid)?.residentBytes ?? 0
    peaks.set(phase, Math.max(peaks.get(phase) ?? 0, resident))
  }, SAMPLE_MS)
  try {
    for await (const named of phasesIn(child.stderr)) phase = named
  } finally {
    clearInterval(sampling)
  }
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} ended with ${child.exitCode}`)
  return peaks
}

/** Yields the phase that each line begins with, wherever the input is split into pieces. */
export async function* phasesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Phase> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of pieces) {
    const lines = (text + decoder.decode(piece, { stream: true })).split(/[\r\n]/)
    text = lines.pop()!
    for (const line of lines) {
      const phase = PHASES.find((each) => line.startsWith(`${each} `))
      if (phase !== undefined) yield phase
    }
  }
}
