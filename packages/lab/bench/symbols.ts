import { existsSync } from "node:fs"
import { join } from "node:path"
import { type ComparedTags, compareTags, sourceFiles } from "./ctags.ts"
import { hasCtags, TAGGED_LANGUAGES } from "./ctags-tags.ts"
import type { Bench, Section } from "./section.ts"
import { judgedTables } from "./symbols/judged.ts"
import { latencyTable } from "./symbols/latency.ts"
import type { Table } from "./table.ts"

/** Repositories of the corpus, in five languages; missing ones are skipped. */
const REPOSITORIES = ["chi", "click", "commons-lang", "laravel-framework", "libuv", "trpc"]

/**
 * Scores answers to judged questions, compares definitions with those of universal-ctags, and measures how long
 * questions take.
 */
export const symbolsSection: Section = {
  name: "symbols",
  lacks: ({ corpus, mirrors, trees }) =>
    corpus === null && mirrors === null && trees.length === 0
      ? "--mirrors DIR, --corpus DIR or --tree DIR"
      : null,
  async run(bench) {
    const tables: Table[] = []
    if (bench.mirrors !== null) tables.push(...(await judgedTables(bench, bench.mirrors)))
    if (bench.corpus !== null && hasCtags()) tables.push(await definitionsTable(bench, bench.corpus))
    if (bench.trees.length > 0) tables.push(await latencyTable(bench))
    return tables
  },
}

async function definitionsTable(bench: Bench, corpus: string): Promise<Table> {
  const rows: (string | number)[][] = []
  for (const name of REPOSITORIES.filter((each) => existsSync(join(corpus, each)))) {
    const files = sourceFiles(join(corpus, name))
    const language = TAGGED_LANGUAGES.toSorted(
      (one, other) => (files.get(other.id)?.length ?? 0) - (files.get(one.id)?.length ?? 0),
    )[0]!
    const compared = await compareTags(language, files.get(language.id) ?? [])
    rows.push([name, language.id, compared.files, ...shares(compared)])
    bench.note(`${name}: ${compared.files} files`)
  }
  return {
    title: "Definitions beside universal-ctags, by repository",
    columns: [
      { name: "" },
      { name: "language" },
      { name: "files", digits: 0 },
      { name: "precision", digits: 3 },
      { name: "recall", digits: 3 },
      { name: "of functions and types: precision", digits: 3 },
      { name: "recall", digits: 3 },
    ],
    rows,
    notes: ["names of each file; what each has alone and why: the section ctags, docs/decisions/figures.md"],
  }
}

function shares({ all, definitions }: ComparedTags): number[] {
  return [all, definitions].flatMap((counts) => [counts.known / counts.ours, counts.found / counts.ctags])
}
