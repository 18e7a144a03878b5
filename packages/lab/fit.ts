/**
 * Fits the ranker's weights and judges them by cross-validation by repository. Weights for questions are fitted on
 * labelled questions about libraries and on questions about applications, weights for tasks on changes mined from
 * histories.
 *
 *   bun packages/lab/fit.ts --labels dev.json --corpus DIR --tasks learn.jsonl --trees DIR [--l2 60] [--seeds 5] [--ablate]
 *                      [--losses] [--kinds question,task] [--free exact_words,…] [--write]
 *
 * --tables  aman512,keyword; a table that is not named keeps its weights
 * --seeds   0: fits without cross-validation, which takes most of the time
 * --kinds   kinds of queries whose tables are fitted: question, task, guessed; the tables of the others stay as they are
 * --free    features to fit, with or without "strange:"; all others keep their stored weights
 * --corpus  folder with checkouts of the labelled repositories, made by corpus.sh beside the label file
 * --trees   folder with the learn split as OWNER+NAME/, made by packages/lab/learn.ts; repositories without a tree are
 *           left out
 */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { FEATURE_NAMES } from "../../src/search/rank/features.ts"
import type { BaseTable } from "../../src/search/rank/rank.ts"
import { type LabelledRepository, mean, readLabels } from "./bench/labels.ts"
import { type ExampleRequest, examplesOf, type RepositoryExamples } from "./fit/examples.ts"
import { type FitOptions, fitListwise } from "./fit/listwise.ts"
import { taskQueries } from "./fit/task-queries.ts"
import {
  crossValidate,
  type Hits,
  heldOutWeights,
  hitsOf,
  ranking,
  score,
  type Validation,
} from "./fit/validate.ts"

const { values: options } = parseArgs({
  options: {
    labels: { type: "string", default: "../shared/bench/code/dev.json" },
    corpus: { type: "string" },
    tasks: { type: "string" },
    trees: { type: "string" },
    "task-count": { type: "string", default: "40" },
    l2: { type: "string", default: "60" },
    seeds: { type: "string", default: "5" },
    tables: { type: "string", default: "aman512,keyword" },
    kinds: { type: "string", default: "question,task" },
    free: { type: "string" },
    only: { type: "string", multiple: true },
    ablate: { type: "boolean", default: false },
    losses: { type: "boolean", default: false },
    work: { type: "string", default: join(import.meta.dir, "../../.fit") },
    write: { type: "boolean", default: false },
  },
})
if (!options.corpus || !options.tasks || !options.trees) {
  console.error(
    "fit: --corpus DIR, --tasks FILE and --trees DIR are needed; see the head of packages/lab/fit.ts",
  )
  process.exit(2)
}

/**
 * Prior weights for properties that the labelled repositories hardly show: generated code, type declarations,
 * licences, translations, older versions beside newer ones. Published rankers multiply the scores of such files by .3 to .7.
 */
const PRIORS: Readonly<Record<string, number>> = {
  test: -1,
  example: -1,
  generated: -1,
  declaration: -0.5,
  record: -1,
  translation: -1,
  older_version: -1,
}

/**
 * A question about an application counts as much as this many questions about a library; chosen on those of the
 * learn split.
 */
const APPLICATION_WEIGHT = 1.5
const QUESTION_ROWS = 200
/**
 * L2 penalty on the difference between weights of tasks and weights of questions; 40 to 400 give results within
 * .005.
 */
const TASK_L2 = 150
const TASK_ROWS = 40
/** L2 penalty on the difference between weights of guessed names and weights of questions. */
const GUESSED_L2 = 800
const GUESSED_ROWS = 80
/** Weight of the question's own ranking before fitting. */
const ASKED_PRIOR = 0.25
/** Shares of the names that are replaced by wrong ones when weights of guessed names are fitted. */
const WRONG_SHARES = [0, 0.2, 0.5]
const labels = readLabels(options.labels, options.corpus).filter(
  (repository) => options.only?.includes(repository.name) ?? true,
)
const applications = readLabels(join(import.meta.dir, "fit/application-questions.json"), options.trees)
const tasks = taskQueries(options.tasks, Number(options["task-count"]), options.trees)
const seeds = Number(options.seeds)
const l2 = Number(options.l2)
const all = FEATURE_NAMES.map(() => true)
const tables: Record<string, Record<string, number>> = {}
const WEIGHTS = join(import.meta.dir, "../../src/search/rank/weights.json")
const stored = JSON.parse(readFileSync(WEIGHTS, "utf8")) as typeof tables
const kinds = options.kinds.split(",")
const free = options.free?.split(",")
/** For each feature, true if it keeps its stored weight. */
const held = FEATURE_NAMES.map((name) => free !== undefined && !free.includes(name.replace("strange:", "")))
const priors = Float64Array.from(FEATURE_NAMES, (name) => PRIORS[name] ?? 0)

for (const table of ["aman512", "keyword"] as const) {
  if (!options.tables.split(",").includes(table)) continue
  const questions = kinds.includes("question") ? await fitQuestions(table) : storedWeights(table)
  if (kinds.includes("task")) await fitTasks(table, questions)
  if (kinds.includes("guessed")) await fitGuessed(table, questions)
}
if (options.write) {
  const written = { ...stored, ...tables }
  for (const kind of ["", ":task", ":guessed"] as const) {
    written[`aman512${kind}`] = complete(written[`aman512${kind}`]!)
    written[`keyword${kind}`] = complete(written[`keyword${kind}`]!)
  }
  writeFileSync(WEIGHTS, `${JSON.stringify(written, null, 2)}\n`)
  console.log(`wrote ${WEIGHTS}`)
}

/** A table with a weight for each feature; 0 for one that is new. */
function complete(table: Record<string, number>): Record<string, number> {
  return Object.fromEntries(FEATURE_NAMES.map((name) => [name, table[name] ?? 0]))
}

function storedWeights(table: string): Float64Array {
  return Float64Array.from(FEATURE_NAMES, (name) => stored[table]![name] ?? 0)
}

async function fitQuestions(table: BaseTable): Promise<Float64Array> {
  const labelled = await gatherAll(labels, { ...request(table), kind: null, weight: 1 })
  const asked = await gatherAll(applications, {
    ...request(table),
    kind: null,
    weight: APPLICATION_WEIGHT,
  })
  const fitting = { l2, use: used(table), prior: free ? storedWeights(table) : priors, held }
  if (seeds > 0) {
    const validation = crossValidate(labelled, fitting, seeds, asked)
    print(`${table}, cross-validated by repository, L2 ${l2}`, validation)
    const held = heldOutWeights(asked, fitting, labelled)
    const hits = hitsOf(asked, (name) => held.get(name)!)
    printHits("  questions about applications, cross-validated", hits)
    if (options.ablate && table === "aman512") ablate(labelled, validation, fitting)
  }
  const examples = [...labelled, ...asked].flatMap((repository) => repository.examples)
  const weights = fitListwise(examples, fitting)
  const recall =
    examples.filter((example) => example.target.some((share) => share > 0)).length / examples.length
  console.log(`  a right file is among the candidates of ${(100 * recall).toFixed(1)} % of the queries`)
  console.log(
    `  fitted on all: ${mean(labelled.map((r) => mean(r.examples.map((e) => score(e, weights))))).toFixed(4)}`,
  )
  tables[table] = named(weights)
  if (options.losses && table === "aman512") printLosses(labelled, weights)
  return weights
}

/** Fits the weights of tasks, with those of questions as the prior. */
async function fitTasks(table: BaseTable, questions: Float64Array): Promise<void> {
  const mined = await gatherAll([...tasks, ...applications], {
    ...request(table),
    kind: "task",
    weight: 1,
    maxRows: TASK_ROWS,
  })
  const prior = free ? storedWeights(`${table}:task`) : questions
  const fitting = { l2: TASK_L2, use: used(table), prior, held }
  if (seeds > 0) {
    const held = heldOutWeights(mined, fitting)
    const before = hitsOf(mined, () => questions)
    printHits(`${table}, tasks, weights of questions`, before)
    const after = hitsOf(mined, (name) => held.get(name)!)
    printHits(`${table}, tasks, cross-validated`, after)
  }
  const weights = fitListwise(
    mined.flatMap((repository) => repository.examples),
    fitting,
  )
  tables[`${table}:task`] = named(weights)
}

/**
 * Fits the weights of guessed names, with those of questions as the prior. Each question is also asked with some of its
 * names replaced by those of other repositories, because callers guess without seeing the code.
 */
async function fitGuessed(table: BaseTable, questions: Float64Array): Promise<void> {
  const sets: RepositoryExamples[][] = []
  for (const wrong of WRONG_SHARES) {
    const asked = wrong === 0 ? applications : withWrongNames(applications, wrong)
    sets.push(
      await gatherAll(asked, { ...request(table), kind: "guessed", weight: 1, maxRows: GUESSED_ROWS }),
    )
  }
  const all = sets[0]!.map((repository) => ({
    ...repository,
    examples: sets.flatMap((set) => set.find(({ name }) => name === repository.name)!.examples),
  }))
  const prior = questions.map((weight, at) => (FEATURE_NAMES[at] === "names:asked" ? ASKED_PRIOR : weight))
  const fitting = { l2: GUESSED_L2, use: used(table), prior, held }
  if (seeds > 0) {
    const heldOut = heldOutWeights(all, fitting)
    for (const [at, set] of sets.entries()) {
      const title = `${table}, guessed names, ${100 * WRONG_SHARES[at]!} % of them wrong`
      printHits(
        `${title}, weights of questions`,
        hitsOf(set, () => prior),
      )
      printHits(
        `${title}, cross-validated`,
        hitsOf(set, (name) => heldOut.get(name)!),
      )
    }
  }
  const weights = fitListwise(
    all.flatMap(({ examples }) => examples),
    fitting,
  )
  tables[`${table}:guessed`] = named(weights)
}

/** The repositories with this share of the names of each question replaced by names for other repositories. */
function withWrongNames(repositories: readonly LabelledRepository[], share: number): LabelledRepository[] {
  return repositories.map((repository, at) => {
    const others = repositories.filter((_, other) => other !== at)
    const wrong = others.flatMap(({ queries }) => queries.flatMap(({ names }) => names))
    const queries = repository.queries.map((query, number) => {
      const count = Math.ceil(query.names.length * share)
      const names = query.names.map((name, index) =>
        (index + number) % query.names.length < count
          ? wrong[(at * 7919 + number * 131 + index * 17) % wrong.length]!
          : name,
      )
      return { ...query, names }
    })
    return { ...repository, queries }
  })
}

function request(table: BaseTable) {
  return { table, work: options.work, maxRows: QUESTION_ROWS }
}

async function gatherAll(
  repositories: readonly LabelledRepository[],
  wanted: ExampleRequest,
): Promise<RepositoryExamples[]> {
  const gathered: RepositoryExamples[] = []
  for (const repository of repositories) gathered.push(await examplesOf(repository, wanted))
  return gathered.filter(({ examples }) => examples.length > 0)
}

/** For each feature, true if it is fitted. Without vectors all cosines are 0, so their weights stay 0. */
function used(table: BaseTable): boolean[] {
  return table === "keyword" ? FEATURE_NAMES.map((name) => !name.includes("cosine")) : all
}

/**
 * The weights by feature. The weight of the fused rank stays above 0 for every strangeness: below it, of two files that
 * differ in nothing else the one that matches less would come first.
 */
function named(weights: Float64Array): Record<string, number> {
  const table = Object.fromEntries(FEATURE_NAMES.map((name, i) => [name, Number(weights[i]!.toPrecision(5))]))
  const lowest = Number((-0.9 * table["fusion"]!).toPrecision(5))
  return { ...table, "strange:fusion": Math.max(table["strange:fusion"]!, lowest) }
}

function printHits(title: string, { count, first, ten, reciprocal }: Hits): void {
  console.log(
    `${title}: ${count}, hit@1 ${first.toFixed(3)}, hit@10 ${ten.toFixed(3)}, MRR ${reciprocal.toFixed(3)}`,
  )
}

function print(title: string, validation: Validation): void {
  const categories = Array.from(validation.byCategory, ([name, value]) => `${name} ${value.toFixed(3)}`).join(
    "  ",
  )
  console.log(`${title}: ${validation.all.toFixed(4)}  (${categories})`)
  for (const label of labels) {
    console.log(
      `  ${label.name.padEnd(20)} ${label.language.padEnd(11)} ${validation.byRepository.get(label.name)?.toFixed(3)}`,
    )
  }
}

function printLosses(repositories: readonly RepositoryExamples[], weights: Float64Array): void {
  for (const { name, examples } of repositories) {
    for (const example of examples) {
      const value = score(example, weights)
      if (value > 0.7) continue
      const wanted = example.query.targets.map((target) => target.path)
      console.log(
        `  ${value.toFixed(2)} ${name} ${JSON.stringify(example.query.query)} want ${wanted} got ${ranking(example, weights).slice(0, 4)}`,
      )
    }
  }
}

/**
 * Prints the value of each feature: what is lost in cross-validation when it is left out, together with its
 * gated form (`symbol_query:`), and all others are refitted.
 */
function ablate(repositories: readonly RepositoryExamples[], whole: Validation, fitting: FitOptions): void {
  const groups = new Map<string, string[]>()
  for (const name of FEATURE_NAMES) {
    const plain = name.replace("symbol_query:", "")
    for (const group of [
      plain,
      ...(plain.startsWith("cosine") ? ["(all cosines)"] : []),
      ...(name === plain ? [] : ["(all gates)"]),
    ]) {
      groups.set(group, [...(groups.get(group) ?? []), name])
    }
  }
  const rows = Array.from(groups, ([group, names]) => {
    const use = FEATURE_NAMES.map((name) => !names.includes(name))
    const without = crossValidate(repositories, { ...fitting, use }, seeds)
    const gains = Array.from(whole.byRepository, ([name, value]) => value - without.byRepository.get(name)!)
    const gain = mean(gains)
    const error = Math.sqrt(mean(gains.map((x) => (x - gain) ** 2)) / gains.length)
    return { group, gain, error }
  }).sort((a, b) => b.gain - a.gain)
  console.log("  feature: what is lost without it ± standard error by repository")
  for (const { group, gain, error } of rows) {
    console.log(`  ${group.padEnd(24)} ${(gain >= 0 ? "+" : "") + gain.toFixed(4)} ± ${error.toFixed(4)}`)
  }
}
