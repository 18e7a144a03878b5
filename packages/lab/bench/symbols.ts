import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type ComparedTags, compareTags, sourceFiles } from "./ctags.ts"
import { hasCtags, TAGGED_LANGUAGES } from "./ctags-tags.ts"
import type { Bench, Section } from "./section.ts"
import { judgedTables } from "./symbols/judged.ts"
import { latencyTable } from "./symbols/latency.ts"
import { type Compared, compareReferences } from "./symbols/references.ts"
import { copyTypeScript } from "./symbols/typescript-copy.ts"
import type { Table } from "./table.ts"

/** Repositories of the corpus, in five languages; missing ones are skipped. */
const REPOSITORIES = ["chi", "click", "commons-lang", "laravel-framework", "libuv", "trpc"]
const KINDS = ["function", "class", "interface", "type", "constant", "method", "field", "property", "all"]

/**
 * Scores answers to judged questions, compares definitions with those of universal-ctags and references with those of
 * the TypeScript compiler, and measures how long questions take.
 */
export const symbolsSection: Section = {
  name: "symbols",
  lacks: ({ corpus, mirrors, typescript, trees }) =>
    corpus === null && mirrors === null && typescript.length + trees.length === 0
      ? "--mirrors DIR, --corpus DIR, --typescript DIR or --tree DIR"
      : null,
  async run(bench) {
    const tables: Table[] = []
    if (bench.mirrors !== null) tables.push(...(await judgedTables(bench, bench.mirrors)))
    if (bench.corpus !== null && hasCtags()) tables.push(await definitionsTable(bench, bench.corpus))
    const projects = typeScriptOf(bench)
    if (projects.length > 0) tables.push(await referencesTable(bench, projects))
    if (bench.trees.length > 0) tables.push(await latencyTable(bench))
    return tables
  },
}

function typeScriptOf({ corpus, typescript }: Bench): string[] {
  const trpc = corpus === null ? [] : [join(corpus, "trpc")]
  return [...trpc, ...typescript].filter((root) => existsSync(root))
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

async function referencesTable(bench: Bench, projects: readonly string[]): Promise<Table> {
  const rows: (string | number)[][] = []
  for (const from of projects) {
    const root = join(bench.scratch, "typescript", titleOf(from))
    copyTypeScript(from, root)
    if (readdirSync(root).length < 2) continue
    const { compared } = await compareReferences(root)
    const ordered = KINDS.flatMap((kind) => compared.filter((each) => each.kind === kind))
    rows.push(...ordered.map((each) => [titleOf(from), each.kind, each.symbols, ...judged(each)]))
    bench.note(`${titleOf(from)}: references compared`)
  }
  return {
    title: "References beside the TypeScript compiler's language service",
    columns: [
      { name: "" },
      { name: "kind" },
      { name: "symbols", digits: 0 },
      { name: "precision", digits: 3 },
      { name: "recall", digits: 3 },
      { name: "found or told apart", digits: 3 },
    ],
    rows,
    notes: [
      "lines that use a symbol, of 400 spread over all that a project defines; all its files as one program, without its packages",
      "told apart: among the uses that could not be tied to a definition, and are said to be none",
    ],
  }
}

function judged({ both, onlyOurs, onlyTheirs, unresolved }: Compared): number[] {
  const all = both + onlyTheirs
  return [both / (both + onlyOurs), both / all, (both + unresolved) / all]
}

/**
 * Name of a project; that of its parent folder if the root is called `src` or `packages`, as in many projects.
 */
function titleOf(root: string): string {
  return /^(?:src|packages)$/.test(basename(root)) ? basename(dirname(root)) : basename(root)
}
