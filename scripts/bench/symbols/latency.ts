import { Database } from "bun:sqlite"
import { basename, join } from "node:path"
import { indexProject } from "../../../src/app/index-project.ts"
import { openProject, type Project } from "../../../src/app/open-project.ts"
import type { Relation } from "../../../src/app/symbol-answer.ts"
import { symbolOf } from "../../../src/app/symbol-project.ts"
import type { Bench } from "../section.ts"
import { median } from "../stats.ts"
import type { Measured, Table } from "../table.ts"

/** Issue 7: `symbol` ≤ 10 ms. */
const MOST_MS = 10
const NAMES = 40
const RELATIONS: readonly Relation[] = ["definition", "references", "callers", "callees", "implementations"]

/** How long a server takes for each question, of any names and of the commonest there are. */
export async function latencyTable(bench: Bench): Promise<Table> {
  const rows: (string | Measured)[][] = []
  for (const root of bench.trees) {
    using project = openProject({ root, cwd: root })
    await indexProject(project)
    for (const [title, names] of Object.entries(namesOf(project))) {
      for (const relation of RELATIONS) {
        const times = await timesOf(project, relation, names)
        const figure = (value: number) => ({ value, limit: { most: MOST_MS }, digits: 1 })
        rows.push([
          basename(root),
          title,
          relation,
          figure(median(times)),
          { value: Math.max(...times), limit: null, digits: 1 },
        ])
      }
    }
    bench.note(`${basename(root)}: questions asked`)
  }
  return {
    title: "Questions about symbols, in a server that has the index open (ms)",
    columns: [{ name: "" }, { name: "names" }, { name: "question" }, { name: "median" }, { name: "most" }],
    rows,
    notes: [`${NAMES} names each, every question about a name that was not asked before; 50 places a page`],
  }
}

/** Those that most files define, and some spread over all. */
function namesOf(project: Project): { readonly common: string[]; readonly any: string[] } {
  using db = new Database(join(project.config.index.dir, "index.db"), { readonly: true })
  const rows = db
    .query<never, []>(
      `SELECT name FROM symbols WHERE kind IN ('function', 'method', 'class', 'struct', 'macro')
       GROUP BY name ORDER BY count(*) DESC, name`,
    )
    .values()
    .flat() as unknown as string[]
  const step = Math.max(1, Math.floor(rows.length / NAMES))
  return {
    common: rows.slice(0, NAMES),
    any: rows.filter((_, at) => at >= NAMES && at % step === 0).slice(0, NAMES),
  }
}

async function timesOf(project: Project, relation: Relation, names: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (const name of names) {
    const { took_ms } = await symbolOf(project, { name, relation, limit: 50, offset: 0 }, { refresh: false })
    times.push(took_ms)
  }
  return times
}
