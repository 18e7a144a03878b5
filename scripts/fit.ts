/**
 * Fits the ranker's weights on labelled queries and judges them by cross-validation by repository.
 *
 *   bun scripts/fit.ts --labels dev.json --corpus DIR [--l2 60] [--seeds 5] [--ablate] [--losses] [--write]
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { FEATURE_NAMES } from "../src/search/rank/feature-rows.ts"
import { mean, readLabels } from "./bench/labels.ts"
import { examplesOf, type RepositoryExamples } from "./fit/examples.ts"
import { type FitOptions, fitListwise } from "./fit/listwise.ts"
import { crossValidate, ranking, score, type Validation } from "./fit/validate.ts"

const { values: options } = parseArgs({
  options: {
    labels: { type: "string", default: "../shared/bench/code/dev.json" },
    corpus: { type: "string" },
    l2: { type: "string", default: "60" },
    seeds: { type: "string", default: "5" },
    only: { type: "string", multiple: true },
    ablate: { type: "boolean", default: false },
    losses: { type: "boolean", default: false },
    work: { type: "string", default: join(import.meta.dir, "../.fit") },
    write: { type: "boolean", default: false },
  },
})
if (!options.corpus) {
  console.error("fit: --corpus DIR is needed (lay it out with corpus.sh beside the label file)")
  process.exit(2)
}

/**
 * Of what the labelled repositories do not show: generated code, types without code, licences. Public rankers use ×.3
 * to ×.7.
 */
const PRIORS: Readonly<Record<string, number>> = {
  test: -1,
  example: -1,
  generated: -1,
  declaration: -0.5,
  record: -1,
}

const labels = readLabels(options.labels, options.corpus).filter(
  (repository) => options.only?.includes(repository.name) ?? true,
)
const seeds = Number(options.seeds)
const l2 = Number(options.l2)
const all = FEATURE_NAMES.map(() => true)
const tables: Record<string, Record<string, number>> = {}
const prior = Float64Array.from(FEATURE_NAMES, (name) => PRIORS[name] ?? 0)

for (const table of ["aman512", "static768", "keyword"] as const) {
  const repositories: RepositoryExamples[] = []
  for (const label of labels) repositories.push(await examplesOf(label, table, options.work))
  const fitting = { l2, use: all, prior }
  const validation = crossValidate(repositories, fitting, seeds)
  print(`${table}, cross-validated by repository, L2 ${l2}`, validation)
  const examples = repositories.flatMap((repository) => repository.examples)
  const weights = fitListwise(examples, fitting)
  const recall =
    examples.filter((example) => example.target.some((share) => share > 0)).length / examples.length
  console.log(`  a right file is among the candidates of ${(100 * recall).toFixed(1)} % of the queries`)
  console.log(
    `  fitted on all: ${mean(repositories.map((r) => mean(r.examples.map((e) => score(e, weights))))).toFixed(4)}`,
  )
  tables[table] = Object.fromEntries(
    FEATURE_NAMES.map((name, i) => [name, Number(weights[i]!.toPrecision(5))]),
  )
  if (options.losses && table === "aman512") printLosses(repositories, weights)
  if (options.ablate && table === "aman512") ablate(repositories, validation, fitting)
}
if (options.write) {
  const file = join(import.meta.dir, "../src/search/rank/weights.json")
  // The tables of tasks are fitted on mined tasks, not on labels; they stay.
  const stored = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>
  writeFileSync(file, `${JSON.stringify({ ...stored, ...tables }, null, 2)}\n`)
  console.log(`wrote ${file}`)
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

/** What each feature is worth: everything else refitted without it (a gated one goes with its gate). */
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
