import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DEFAULT_PARSE_OPTIONS } from "../../../src/parse/file/parse.ts"
import { languageOf, parseFile } from "../../../src/parse/index.ts"
import { bare, ctagsOf, hasCtags, TAGGED_LANGUAGES, type Tag, type TaggedLanguage } from "./ctags-tags.ts"
import { lacksCorpus, type Section } from "./section.ts"
import type { Table } from "./table.ts"

/** Max files of each language, spread evenly over the corpus. */
const MAX_FILES = 400
const MAX_BYTES = 1_048_576

/** Numbers of definitions. */
type Counts = {
  /** Definitions that ctags has. */
  ctags: number
  /** Definitions of ctags that aman has, too. */
  found: number
  /** Definitions that aman has. */
  ours: number
  /** Definitions of aman that ctags has, too. */
  known: number
}

export type ComparedTags = {
  readonly language: string
  readonly files: number
  readonly all: Counts
  /** Functions and types only, without variables, fields and the like. */
  readonly definitions: Counts
  readonly onlyCtags: ReadonlyMap<string, number>
  readonly onlyOurs: ReadonlyMap<string, number>
}

/**
 * Compares aman's symbols with those of universal-ctags, name by name and file by file, on the repositories of
 * the corpus.
 */
export const ctagsSection: Section = {
  name: "ctags",
  lacks: (bench) => lacksCorpus(bench) ?? (hasCtags() ? null : "universal-ctags in the PATH"),
  async run(bench) {
    const files = sourceFiles(bench.corpus!)
    const compared: ComparedTags[] = []
    for (const language of TAGGED_LANGUAGES) {
      const all = files.get(language.id) ?? []
      const step = Math.max(1, all.length / MAX_FILES)
      const some = all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
      if (some.length > 0) compared.push(await compareTags(language, some))
      bench.note(`${language.id}: ${some.length} of ${all.length} files`)
    }
    return [sharesTable(compared), differencesTable(compared)]
  },
}

/** Paths of the files below a folder by language, sorted. */
export function sourceFiles(root: string): Map<string, string[]> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter(
      (entry) =>
        entry.isFile() && !/(?:^|\/)(?:\.git|\.aman|node_modules|dist)(?:\/|$)/.test(entry.parentPath),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const wanted = new Set(TAGGED_LANGUAGES.map(({ id }) => id))
  const byLanguage = Map.groupBy(paths, (path) => {
    const { id } = languageOf(path, path.endsWith(".h") ? readFileSync(path, "utf8") : "")
    return wanted.has(id) ? id : ""
  })
  byLanguage.delete("")
  return byLanguage
}

/** Compares the definitions of both programs in these files, name by name and file by file. */
export async function compareTags(language: TaggedLanguage, paths: readonly string[]): Promise<ComparedTags> {
  const tags = ctagsOf(paths, language)
  const all = { ctags: 0, found: 0, ours: 0, known: 0 }
  const definitions = { ...all }
  const onlyCtags = new Map<string, number>()
  const onlyOurs = new Map<string, number>()
  let files = 0
  for (const path of paths) {
    const text = readFileSync(path, "utf8")
    if (text.length > MAX_BYTES) continue
    const { chunks } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
    const ours = distinct(
      chunks.flatMap(({ symbols }) => symbols.map(({ name, kind }) => ({ name: bare(name), kind }))),
    )
    const theirs = distinct(tags.get(path) ?? [])
    const [missing, extra] = [without(theirs, ours), without(ours, theirs)]
    files++
    count(all, theirs, missing, ours, extra)
    const only = [theirs, missing, ours, extra].map((list) => list.filter(isDefinition))
    count(definitions, only[0]!, only[1]!, only[2]!, only[3]!)
    countKinds(onlyCtags, missing)
    countKinds(onlyOurs, extra)
  }
  return { language: language.id, files, all, definitions, onlyCtags, onlyOurs }
}

function count(
  sum: Counts,
  theirs: readonly Tag[],
  missing: readonly Tag[],
  ours: readonly Tag[],
  extra: readonly Tag[],
): void {
  sum.ctags += theirs.length
  sum.found += theirs.length - missing.length
  sum.ours += ours.length
  sum.known += ours.length - extra.length
}

/** Each name once, because the programs count overloads, and prototypes beside definitions, differently. */
function distinct(tags: readonly Tag[]): Tag[] {
  return [...new Map(tags.map((tag) => [tag.name, tag])).values()]
}

/** Tags of the first list whose names do not occur in the second list. */
function without(tags: readonly Tag[], others: readonly Tag[]): Tag[] {
  const names = new Set(others.map(({ name }) => name))
  return tags.filter(({ name }) => !names.has(name))
}

const DEFINITIONS =
  /^(?:function|func|prototype|method|methodSpec|singletonMethod|generator|getter|setter|class|interface|annotation|struct|union|enum|trait|type|typedef|alias|talias|module)$/

function isDefinition({ kind }: Tag): boolean {
  return DEFINITIONS.test(kind)
}

function countKinds(counts: Map<string, number>, tags: readonly Tag[]): void {
  for (const { kind } of tags) counts.set(kind, (counts.get(kind) ?? 0) + 1)
}

function sharesTable(compared: readonly ComparedTags[]): Table {
  return {
    title: "Symbols beside those of universal-ctags",
    columns: [
      { name: "" },
      { name: "files", digits: 0 },
      { name: "ctags", digits: 0 },
      { name: "aman", digits: 0 },
      { name: "precision", digits: 3 },
      { name: "recall", digits: 3 },
      { name: "of functions and types: precision", digits: 3 },
      { name: "recall", digits: 3 },
    ],
    rows: compared.map(({ language, files, all, definitions }) => [
      language,
      files,
      all.ctags,
      all.ours,
      all.known / all.ours,
      all.found / all.ctags,
      definitions.known / definitions.ours,
      definitions.found / definitions.ctags,
    ]),
    notes: [
      "distinct names of each file; precision: share of ours that ctags has too; recall: the other way round",
      "ctags is no truth: what each has alone stands below, and why in docs/decisions/figures.md",
    ],
  }
}

function differencesTable(compared: readonly ComparedTags[]): Table {
  return {
    title: "What one of them has alone, by its kind",
    columns: [{ name: "" }, { name: "ctags alone" }, { name: "aman alone" }],
    rows: compared.map(({ language, onlyCtags, onlyOurs }) => [
      language,
      commonest(onlyCtags),
      commonest(onlyOurs),
    ]),
  }
}

const MAX_KINDS = 5

function commonest(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort((one, other) => other[1] - one[1])
    .slice(0, MAX_KINDS)
    .map(([kind, times]) => `${kind} ${times}`)
    .join(", ")
}
