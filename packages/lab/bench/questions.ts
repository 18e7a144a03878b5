import { join } from "node:path"
import { compareTexts } from "../../../src/base/index.ts"
import { loadTokenizer } from "../../../src/text/index.ts"
import { type LabelledRepository, mean, samePath } from "./labels.ts"
import { runIndex } from "./processes.ts"
import { type Bench, lacksCorpus, type Section } from "./section.ts"
import { sample } from "./stats.ts"
import type { Table } from "./table.ts"
import { Asked } from "./task-answers.ts"
import { bm25Baseline, grepBaseline, hasZoekt, indexedSource, zoektBaseline } from "./task-baselines.ts"

const MAX_FILES = 50

type QuestionScore = {
  readonly language: string
  readonly category: string
  /**
   * 1-based rank of the first labelled file for each way to search, by the way's name; null if none is found.
   */
  readonly ranks: ReadonlyMap<string, number | null>
}

/** Measures whether one of the labelled files is among the first results of labelled questions. */
export const questionsSection: Section = {
  name: "questions",
  lacks: lacksCorpus,
  async run(bench) {
    const chosen = bench.repositories === null ? bench.labels : sample(bench.labels, bench.repositories)
    const scores: QuestionScore[] = []
    for (const repository of chosen) {
      const own = await scoreRepository(bench, repository)
      scores.push(...own)
      bench.note(`${repository.name}: MRR ${meansOf(own, "aman").at(-1)!.toFixed(3)}`)
    }
    if (scores.length === 0) return []
    return [waysTable(scores), groupTable(scores, "category"), groupTable(scores, "language")]
  },
}

async function scoreRepository(
  bench: Bench,
  { name, language, root, queries }: LabelledRepository,
): Promise<QuestionScore[]> {
  const indexDir = join(bench.scratch, "labelled", name)
  runIndex(bench.binary, root, indexDir)
  const source = indexedSource(root, indexDir)
  const count = await loadTokenizer()
  const shards = join(bench.scratch, "zoekt", name)
  const baselines = [
    bm25Baseline(source, count),
    grepBaseline(source, count),
    ...(hasZoekt() ? [zoektBaseline(source, root, shards)] : []),
  ]
  await using asked = await Asked.start(bench.binary, root, indexDir)
  const scores: QuestionScore[] = []
  for (const { query, names, category, targets } of queries) {
    const rankOf = (ranked: readonly { readonly path: string }[]) => {
      const at = ranked.findIndex(({ path }) => targets.some((target) => samePath(path, target.path)))
      return at < 0 ? null : at + 1
    }
    const ranks = new Map([["aman", rankOf(await asked.search(query, MAX_FILES))]])
    if (names.length > 0) {
      ranks.set("aman, with guessed names", rankOf(await asked.search(query, MAX_FILES, names)))
      ranks.set("aman, guessed names alone", rankOf(await asked.search(names.join(" "), MAX_FILES)))
    }
    for (const { name: way, files } of baselines) {
      ranks.set(way, rankOf(files(query, MAX_FILES)))
      if (names.length > 0) ranks.set(`${way}, guessed names`, rankOf(files(names.join(" "), MAX_FILES)))
    }
    scores.push({ language, category, ranks })
  }
  return scores
}

const COLUMNS = [
  { name: "questions", digits: 0 },
  { name: "hit@1", digits: 3 },
  { name: "hit@3", digits: 3 },
  { name: "hit@5", digits: 3 },
  { name: "hit@10", digits: 3 },
  { name: "hit@50", digits: 3 },
  { name: "MRR", digits: 3 },
]

/** hit@1, @3, @5, @10, @50 and MRR of a way to search. */
function meansOf(scores: readonly QuestionScore[], way: string): number[] {
  const ranks = scores.map((score) => score.ranks.get(way)!)
  const hitAt = (max: number) => mean(ranks.map((rank) => Number(rank !== null && rank <= max)))
  return [
    hitAt(1),
    hitAt(3),
    hitAt(5),
    hitAt(10),
    hitAt(50),
    mean(ranks.map((rank) => (rank === null ? 0 : 1 / rank))),
  ]
}

function waysTable(scores: readonly QuestionScore[]): Table {
  return {
    title: "Labelled questions: a labelled file is found",
    columns: [{ name: "" }, ...COLUMNS],
    rows: [...scores[0]!.ranks.keys()].map((way) => [way, scores.length, ...meansOf(scores, way)]),
    notes: [`MRR over the first ${MAX_FILES} files; NDCG@10 is in the section quality`],
  }
}

function groupTable(scores: readonly QuestionScore[], by: "category" | "language"): Table {
  const groups = [...Map.groupBy(scores, (score) => score[by])].sort(([a], [b]) => compareTexts(a, b))
  return {
    title: `Labelled questions by ${by}`,
    columns: [{ name: "" }, ...COLUMNS, { name: "BM25 MRR", digits: 3 }],
    rows: groups.map(([name, list]) => [
      name,
      list.length,
      ...meansOf(list, "aman"),
      meansOf(list, "BM25, code without tests").at(-1)!,
    ]),
  }
}
