import { type DocVerdict, judgeByDocs } from "./judge-docs.ts"
import type { Section } from "./section.ts"
import { type Cell, judge, limitText, type Table } from "./table.ts"

const QUESTIONS = 1_000
const MIN_FOUND = { min: 0.6 }

/**
 * Finds functions by their doc comments, which are removed before indexing: a measure that is independent of
 * the labels.
 */
export const docsSection: Section = {
  name: "docs",
  lacks: (bench) =>
    bench.judge === null ? "--judge DIR, with repositories that are in no label file" : null,
  async run(bench) {
    const verdicts = await judgeByDocs(bench.judge!, QUESTIONS, bench.note)
    return [
      verdictTable("Doc comment → function, by language", verdicts, ({ question }) => question.language),
      verdictTable("Doc comment → function, by repository", verdicts, ({ question }) => question.repository),
    ]
  },
}

function verdictTable(title: string, verdicts: readonly DocVerdict[], key: (v: DocVerdict) => string): Table {
  const groups = [...Map.groupBy(verdicts, key)].sort((a, b) => b[1].length - a[1].length)
  const target = limitText(MIN_FOUND)
  return {
    title,
    columns: [
      { name: "" },
      { name: "asked", digits: 0 },
      { name: "found", digits: 3 },
      { name: "strict", digits: 3 },
      { name: "named", digits: 3 },
      { name: "first place", digits: 3 },
      { name: "file", digits: 3 },
      { name: "target of found" },
    ],
    rows: [
      ...groups.map(([name, list]) => [name, list.length, share(list, "found"), ...others(list), ""]),
      ["all", verdicts.length, judge(share(verdicts, "found"), MIN_FOUND), ...others(verdicts), target],
    ],
    notes: [
      "found: a place of the first ten results (`also` included) overlaps the function; strict: holds its first line",
      "named: and gives it as the symbol; first place: the result's own place overlaps it; file: its file is among the results",
    ],
  }
}

function others(verdicts: readonly DocVerdict[]): Cell[] {
  return (["strict", "named", "first", "file"] as const).map((of) => share(verdicts, of))
}

function share(verdicts: readonly DocVerdict[], of: Exclude<keyof DocVerdict, "question">): number {
  return verdicts.filter((verdict) => verdict[of]).length / Math.max(1, verdicts.length)
}
