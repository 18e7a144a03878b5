/**
 * Judges references in small programs (test/graph): each way of reaching a package with each construct, one program each.
 *
 *   bun scripts/programs.ts LANGUAGE|all [--mixed] [--show wrong,silent] [--most 10] [--full] [--table FILE]
 *
 * --mixed   all programs choose from the same names
 * --show    outcomes of which the commonest constructs are printed, each with one place; --full: with its program
 * --table   appends a row per construct to a CSV file: language, construct, then the number of uses of each outcome
 */
import { appendFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { type Finding, judge, OUTCOMES } from "../test/graph/judge.ts"
import { LANGUAGES } from "../test/graph/languages/languages.ts"
import { type Language, type Program, programFor } from "../test/graph/programs.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mixed: { type: "boolean", default: false },
    show: { type: "string", default: "wrong" },
    most: { type: "string", default: "10" },
    full: { type: "boolean", default: false },
    table: { type: "string" },
  },
})

/** Programs in one tree. Of names that all programs share, every answer compares every use, so that trees are small then. */
const PER_TREE = values.mixed ? 25 : 1_000

for (const language of LANGUAGES.filter(
  ({ name }) => positionals.includes("all") || positionals.includes(name),
)) {
  const programs = programsOf(language)
  const started = performance.now()
  const findings: Finding[] = []
  for (let first = 0; first < programs.length; first += PER_TREE)
    findings.push(...(await judge(programs.slice(first, first + PER_TREE), language.tree)))
  const counts = countsOf(findings)
  console.log(
    `== ${language.name}${values.mixed ? " mixed" : ""}: ${programs.length} programs, ${Math.round(performance.now() - started)} ms: ${OUTCOMES.map((each, at) => `${each} ${counts[at]}`).join(", ")}`,
  )
  for (const outcome of values.show.split(",")) print(outcome, findings)
  if (values.table !== undefined)
    for (const [construct, own] of Map.groupBy(findings, ({ label }) => label.replace(/ \(.*/, "")))
      appendFileSync(values.table, `${[language.name, construct, ...countsOf(own)].join()}\n`)
}

function programsOf(language: Language): Program[] {
  const all = language.forms.flatMap((form) =>
    ["a", "b", "lib"]
      .filter((name) => name !== "lib" || !(form.isOwn || form.isInside))
      .flatMap((name) => language.pieces.map((piece) => ({ form, piece, package: name }))),
  )
  return all
    .filter(({ form, piece }) => !piece.not?.includes(form.name))
    .map((only, at) =>
      programFor({ language, seed: at, root: `p${at}`, tag: values.mixed ? "" : `${at}`, only }),
    )
    .filter((_, at) => all[at]!.package !== "a" || at % 2 === 0)
}

function countsOf(findings: readonly Finding[]): number[] {
  return OUTCOMES.map((each) => findings.filter(({ outcome }) => outcome === each).length)
}

function print(outcome: string, findings: readonly Finding[]): void {
  const groups = Map.groupBy(
    findings.filter((each) => each.outcome === outcome),
    ({ label, id }) => `${label.replace(/ \(.*/, "")} | ${id.replace(/^p\d+\/\w+\./, "")}`,
  )
  const commonest = [...groups].sort((one, other) => other[1].length - one[1].length)
  for (const [construct, all] of commonest.slice(0, Number(values.most))) {
    const [first] = all as [Finding]
    const forms = [...new Set(all.map(({ label }) => /\((.*)\)/.exec(label)?.[1] ?? ""))].join("; ")
    const text = first.program.files.get(first.path)?.split("\n")[first.line - 1]?.trim()
    console.log(
      `${outcome} ${all.length}× ${construct} [${forms}]: ${first.id} at ${first.path}:${first.line}: ${text}`,
    )
    if (values.full) for (const [path, content] of first.program.files) console.log(`--- ${path}\n${content}`)
  }
}
