import { Database } from "bun:sqlite"
import { join } from "node:path"
import { ensureHostileTree } from "./hostile-tree.ts"
import { bytesIn, type IndexRun, runColdIndex, runIndex, runSearch } from "./processes.ts"
import type { Section } from "./section.ts"
import { judge, type Table } from "./table.ts"

/**
 * Max peak memory: two worker threads with a parser of 256 MB each, and what an index of this many files always
 * takes.
 */
const MAX_PEAK_MB = { max: 1500 }

/** Indexes trees of damaged and malicious files, of the sizes in --scale. */
export const hostileSection: Section = {
  name: "hostile",
  lacks: () => null,
  async run(bench) {
    return [...bench.scales]
      .sort((a, b) => a - b)
      .map((files) => {
        const root = join(bench.scratch, "trees", `hostile-${files}`)
        bench.note(`${root} …`)
        ensureHostileTree(root, files)
        const index = `${root}.index`
        const cold = runColdIndex(bench.binary, root, index)
        const again = runIndex(bench.binary, root, index)
        const searchMs = runSearch(bench.binary, root, index, "where is the account locked")
        return hostileTable(files, cold, { unchangedMs: again.wallMs, searchMs, dir: index })
      })
  },
}

type Later = { readonly unchangedMs: number; readonly searchMs: number; readonly dir: string }

function hostileTable(files: number, { report, wallMs, cpuMs, peakBytes }: IndexRun, later: Later): Table {
  const peak = peakBytes === null ? null : peakBytes / 1e6
  return {
    title: `Hostile tree of ${files.toLocaleString("en")} files: time, memory, and what was left out`,
    columns: [{ name: "" }, { name: "value", digits: 0 }],
    rows: [
      ["files indexed", report.files],
      ["chunks", report.chunks],
      ["seconds", wallMs / 1000],
      ["CPU seconds", cpuMs / 1000],
      ["peak MB", judge(peak, MAX_PEAK_MB, 0)],
      ["index MB", bytesIn(later.dir) / 1e6],
      ["again, nothing changed, ms", later.unchangedMs],
      ["search, ms", later.searchMs],
      ...Object.entries(report.skipped).map(([reason, count]) => [`left out: ${reason}`, count]),
      ...degradedIn(later.dir).map(([reason, count]) => [`cut by less: ${reason}`, count]),
    ],
  }
}

/** Number of files whose preferred parsing method failed, by reason. */
function degradedIn(dir: string): [reason: string, files: number][] {
  using db = new Database(join(dir, "index.db"), { readonly: true })
  const sql =
    "SELECT degraded, count(*) AS files FROM files WHERE degraded IS NOT NULL GROUP BY 1 ORDER BY 2 DESC"
  return db
    .query<{ degraded: string; files: number }, []>(sql)
    .all()
    .map(({ degraded, files }) => [degraded, files])
}
