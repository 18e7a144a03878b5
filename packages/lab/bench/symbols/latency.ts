import { Database } from "bun:sqlite"
import { basename, join } from "node:path"
import { indexProject, openProject, type Project } from "../../../../src/index/index.ts"
import { symbolOf } from "../../../../src/symbols/answer/symbol-project.ts"
import type { Relation } from "../../../../src/symbols/index.ts"
import type { Bench } from "../section.ts"
import { median } from "../stats.ts"
import type { Measured, Table } from "../table.ts"

/** Max time of a `symbol` question in ms. */
const MAX_MS = 10
const NAMES = 40
/**
 * The fastest of this many rounds counts, because earlier rounds include compiling, and other processes slow
 * some down.
 */
const ROUNDS = 3
const RELATIONS: readonly Relation[] = ["definition", "references", "callers", "callees", "implementations"]

type Names = { readonly common: string[]; readonly any: string[]; readonly before: string[] }

type Timed = { readonly name: string; readonly ms: number }

/**
 * Milliseconds that a server takes for each kind of question, for arbitrary names and for the most common ones.
 */
export async function latencyTable(bench: Bench): Promise<Table> {
  const rows: (string | Measured)[][] = []
  for (const root of bench.trees) {
    const lists = await namesIn(root)
    for (const title of ["common", "any"] as const) {
      for (const relation of RELATIONS) {
        const times = await timesOf(root, relation, lists[title], lists.before)
        const worst = times.reduce((one, other) => (other.ms > one.ms ? other : one))
        const figure = (value: number) => ({ value, limit: { max: MAX_MS }, digits: 1 })
        rows.push([
          basename(root),
          title,
          relation,
          figure(median(times.map(({ ms }) => ms))),
          figure(worst.ms),
          worst.name,
        ])
      }
    }
    bench.note(`${basename(root)}: questions asked`)
  }
  return {
    title: "Questions about symbols, in a server that has the index open (ms)",
    columns: [
      { name: "" },
      { name: "names" },
      { name: "question" },
      { name: "median" },
      { name: "most" },
      { name: "of" },
    ],
    rows,
    notes: [
      `${NAMES} names each, asked of a graph that had no question about them; best of ${ROUNDS}, 50 places a page`,
    ],
  }
}

async function namesIn(root: string): Promise<Names> {
  using project = openProject({ root, cwd: root })
  await indexProject(project)
  return namesOf(project)
}

/** The names that most files define, and others spread evenly over all names. */
function namesOf(project: Project): Names {
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
    before: rows.slice(-2),
  }
}

/**
 * Milliseconds of each name's question. Asks about the names in `before` first, because the names that each
 * file uses are read once for all questions.
 */
async function timesOf(
  root: string,
  relation: Relation,
  names: readonly string[],
  before: readonly string[],
): Promise<Timed[]> {
  const best = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    using project = openProject({ root, cwd: root })
    const ask = (name: string, asked: Relation) =>
      symbolOf(project, { name, relation: asked, limit: 50, offset: 0 }, { refresh: false })
    for (const name of before) await ask(name, "references")
    for (const name of names) {
      const { took_ms } = await ask(name, relation)
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, took_ms))
    }
  }
  return Array.from(best, ([name, ms]) => ({ name, ms }))
}
