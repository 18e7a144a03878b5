/**
 * Makes random edits, kills and damage, and checks after each round that the index still matches the files:
 *
 *   bun scripts/soak.ts [--minutes 5] [--seed 1] [--files 300] [--trees 1000]
 *                       [--sequences 100] [--kills 200] [--team 200] [--shared 500] [--company 60] [--entries 500] [--orders 500]
 *                       [--queries 10000] [--histories 1000] [--messages 10000] [--swaps 1000]
 *                       [--damages 200] [--programs 10000] [--faults 500] [--memory 200] [--leaders 3] [--formats 20000] [--sources 10000]
 *                       [--properties 5]
 *
 * Before that, it runs these parts, each with the number in its option; a part with the number 0 is left out:
 *
 * --trees      random trees of files and ignore rules, compared with git's answers about them
 * --sequences  sequences of edits
 * --kills      kills of indexing processes
 * --team       kills of a team's workers and nodes
 * --shared     entries that each of eight machines shares through a team's server
 * --company    seconds in which several processes use one index
 * --entries    entries that each of eight processes remembers at the same time
 * --orders     questions to a memory, whose order every door must agree about
 * --queries    queries
 * --histories  histories of a memory, compared with a model
 * --formats    damages to files of each of our formats
 * --sources    damaged source files that are cut into chunks
 * --messages   hostile messages to a server over stdio, and as many over HTTP
 * --programs   small programs with known references, in all languages together
 * --swaps      replacements of a folder or file of an index, of the project or of its parent by a link, a second name
 *              or a pipe while processes use it
 * --damages    damages to a store, and as many to an index; from 200 on, a store and its log cut at every page
 * --properties random cases of each property of the unit tests, as a multiple of the number that it names
 * --leaders    servers in the model of the lock, of which every order of steps is tried
 * --faults     failing file operations (scripts/faults.ts, which needs strace)
 * --memory     refused requests for memory (the same)
 *
 * Prints the results of the parts as a table at the end.
 */
import { spawn, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { randomFrom } from "../test/random.ts"

const QUESTIONS_A_ROUND = 8
const LONGEST_LIFE_MS = 1500

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    files: { type: "string", default: "300" },
    trees: { type: "string", default: "1000" },
    sequences: { type: "string", default: "100" },
    kills: { type: "string", default: "200" },
    team: { type: "string", default: "200" },
    shared: { type: "string", default: "500" },
    company: { type: "string", default: "60" },
    entries: { type: "string", default: "500" },
    orders: { type: "string", default: "500" },
    queries: { type: "string", default: "10000" },
    histories: { type: "string", default: "1000" },
    formats: { type: "string", default: "20000" },
    sources: { type: "string", default: "10000" },
    messages: { type: "string", default: "10000" },
    swaps: { type: "string", default: "1000" },
    leaders: { type: "string", default: "3" },
    properties: { type: "string", default: "5" },
    damages: { type: "string", default: "200" },
    programs: { type: "string", default: "10000" },
    faults: { type: "string", default: "500" },
    memory: { type: "string", default: "200" },
  },
})
const binary = join(import.meta.dir, "..", "dist", "aman")
const random = randomFrom(Number(values.seed))
const project = mkdtempSync(join(tmpdir(), "aman-soak-"))
/** Path of each file of the project, with the word that only this file contains. */
const words = new Map<string, string>()
const gone: string[] = []
let written = 0

const figures = join(mkdtempSync(join(tmpdir(), "aman-figures-")), "figures.jsonl")

type Part = { readonly count: string; readonly variable: string; readonly tests: readonly string[] }
const PARTS: readonly Part[] = [
  {
    count: values.trees,
    variable: "AMAN_TEST_RUNS",
    tests: [
      "./src/tree/git/ignore/patterns.test.ts",
      "./src/tree/git/ignore/ignore-scope.test.ts",
      "./src/tree/scan/scan-git.test.ts",
    ],
  },
  { count: values.sequences, variable: "AMAN_TEST_RUNS", tests: ["./test/e2e/incremental.test.ts"] },
  { count: values.kills, variable: "AMAN_TEST_KILLS", tests: ["./test/e2e/crash.test.ts"] },
  {
    count: values.entries,
    variable: "AMAN_TEST_ENTRIES",
    tests: ["./src/memory/writers.test.ts", "./test/e2e/writers.test.ts"],
  },
  { count: values.orders, variable: "AMAN_TEST_ORDERS", tests: ["./test/e2e/one-answer.test.ts"] },
  { count: values.queries, variable: "AMAN_TEST_QUERIES", tests: ["./test/query-fuzz.test.ts"] },
  {
    count: values.histories,
    variable: "AMAN_TEST_HISTORIES",
    tests: ["./src/memory/knowledge-model.test.ts", "./src/memory/two-stores.test.ts"],
  },
  { count: values.formats, variable: "AMAN_TEST_FORMATS", tests: ["./test/format-fuzz.test.ts"] },
  { count: values.sources, variable: "AMAN_TEST_SOURCES", tests: ["./test/fuzz-files.test.ts"] },
  {
    count: values.messages,
    variable: "AMAN_TEST_MESSAGES",
    tests: ["./test/e2e/hostile-messages.test.ts"],
  },
  { count: values.swaps, variable: "AMAN_TEST_SWAPS", tests: ["./test/e2e/swaps.test.ts"] },
  {
    count: values.damages,
    variable: "AMAN_TEST_DAMAGES",
    tests: ["./src/memory/log/cut.test.ts", "damaged-knowledge", "damaged-index", "damage"].map(
      (name) => `./test/e2e/${name}.test.ts`,
    ),
  },
  { count: values.programs, variable: "AMAN_TEST_PROGRAMS", tests: ["./test/graph"] },
  { count: values.properties, variable: "AMAN_TEST_SHARE", tests: ["./src", "./packages", "./scripts"] },
  { count: values.leaders, variable: "AMAN_TEST_LEADERS", tests: ["./test/lead-model.test.ts"] },
  { count: values.team, variable: "AMAN_TEST_TEAM_KILLS", tests: ["./test/e2e/team-faults.test.ts"] },
  { count: values.shared, variable: "AMAN_TEST_TEAM_ENTRIES", tests: ["./test/e2e/team-memory.test.ts"] },
  { count: values.company, variable: "AMAN_TEST_SECONDS", tests: ["./test/e2e/company.test.ts"] },
]

const failed = PARTS.filter((part) => Number(part.count) > 0).filter((part) => !passes(part))
const areFaultsSurvived = Number(values.faults) + Number(values.memory) === 0 || survivesFaults()
const soaked = Number(values.minutes) > 0 ? await soak() : 0
printFigures()
process.exitCode = failed.length > 0 || !areFaultsSurvived ? 1 : soaked

function passes({ count, variable, tests }: Part): boolean {
  const { status } = spawnSync(process.execPath, ["test", "--timeout", "600000", ...tests], {
    cwd: join(import.meta.dir, ".."),
    env: {
      ...process.env,
      AMAN_TEST_SHARE: "1",
      AMAN_TEST_SEED: values.seed,
      AMAN_TEST_FIGURES: figures,
      [variable]: count,
    },
    stdio: "inherit",
  })
  return status === 0
}

function survivesFaults(): boolean {
  const args = ["--seed", values.seed, "--count", values.faults, "--memory", values.memory]
  const { status } = spawnSync(process.execPath, [join(import.meta.dir, "faults.ts"), ...args], {
    env: { ...process.env, AMAN_TEST_FIGURES: figures },
    stdio: "inherit",
  })
  return status === 0
}

/** Prints a line for each part that recorded figures. */
function printFigures(): void {
  const lines = existsSync(figures) ? readFileSync(figures, "utf8").trim().split("\n") : []
  for (const line of lines) {
    const { part, ...found } = JSON.parse(line) as Record<string, string | number>
    const cells = Object.entries(found).map(([name, value]) => `${name} ${value}`)
    console.log(`${String(part).padEnd(12)} ${cells.join(" · ")}`)
  }
  rmSync(dirname(figures), { recursive: true })
}

async function soak(): Promise<number> {
  const end = performance.now() + Number(values.minutes) * 60_000
  let rounds = 0
  try {
    for (let file = 0; file < Number(values.files); file++) change()
    while (performance.now() < end) {
      for (let edits = pick(20); edits > 0; edits--) change()
      await indexAndPerhapsDie()
      if (pick(4) === 0) damage()
      check()
      rounds++
      if (rounds % 10 === 0) console.log(`${rounds} rounds, ${words.size} files`)
    }
    console.log(`${rounds} rounds without a mistake (seed ${values.seed})`)
    rmSync(project, { recursive: true, force: true })
    return 0
  } catch (error) {
    console.error(`round ${rounds + 1}, seed ${values.seed}, left in ${project}:`, error)
    return 1
  }
}

/** Creates, rewrites or removes a file. */
function change(): void {
  const known = [...words.keys()]
  const kind = pick(4)
  if (kind === 0 && known.length > 10) {
    const path = known[pick(known.length)]!
    rmSync(join(project, path))
    gone.push(words.get(path)!)
    words.delete(path)
    return
  }
  const isNew = kind === 1 || known.length < Number(values.files)
  const path = isNew ? `d${pick(30)}/m${written}.py` : known[pick(known.length)]!
  const word = `z${letters(written)}q${letters(pick(1e6))}`
  written++
  const body = Array.from(
    { length: 1 + pick(30) },
    (_, line) => `def f${line}_${word}(x):\n    return x + ${line}\n`,
  )
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), `# ${word}\n${body.join("\n")}`)
  if (words.has(path)) gone.push(words.get(path)!)
  words.set(path, word)
}

/** Runs one or two indexing processes, each of which may be killed at a random moment. */
async function indexAndPerhapsDie(): Promise<void> {
  const processes = Array.from({ length: 1 + pick(2) }, async () => {
    const child = spawn(binary, ["index", "--quiet", "--root", project], { stdio: "ignore" })
    const timer = pick(2) === 0 ? setTimeout(() => child.kill("SIGKILL"), pick(LONGEST_LIFE_MS)) : null
    await new Promise((resolve) => child.once("exit", resolve))
    if (timer) clearTimeout(timer)
  })
  await Promise.all(processes)
}

/** Removes or cuts off a derived file, as after a full disk or a crash of the machine. */
function damage(): void {
  const folder = join(project, ".aman")
  const derived = readdirSync(folder).filter((name) => /^(keyword|vectors)-/.test(name))
  const victim = derived[pick(derived.length)]
  if (victim === undefined) return
  const path = join(folder, victim)
  if (pick(2) === 0) rmSync(path)
  else truncateSync(path, pick(statSync(path).size))
}

/**
 * Checks that every word is found in its current file and nowhere else, and that words of removed files are not
 * found.
 */
function check(): void {
  const { files } = aman("index")
  if (files !== words.size) throw new Error(`${files} files indexed, ${words.size} are there`)
  const here = [...words]
  for (let question = 0; question < QUESTIONS_A_ROUND; question++) {
    const [path, word] = here[pick(here.length)]!
    expectPaths(word, "keyword", path)
    expectPaths(word, "hybrid", path)
    const old = gone[pick(gone.length)]
    if (old !== undefined) expectPaths(old, "keyword", undefined)
  }
}

function expectPaths(word: string, mode: "keyword" | "hybrid", path: string | undefined): void {
  const { results } = aman("search", "--mode", mode, "--limit", "5", "--", word)
  const [first, second] = results?.map((result) => result.path) ?? []
  const isRight = first === path && (mode === "hybrid" || second === undefined)
  if (!isRight) throw new Error(`${word} by ${mode}: ${first}, ${second} instead of ${path}`)
}

type Answer = { readonly files?: number; readonly results?: readonly { readonly path: string }[] }

function aman(command: string, ...flags: string[]): Answer {
  const args = [command, "--json", "--quiet", "--root", project, ...flags]
  const ran = spawnSync(binary, args, { encoding: "utf8" })
  // Exit code 1 means that nothing was found.
  if (ran.status !== 0 && ran.status !== 1) {
    throw new Error(
      `aman ${args.join(" ")} ended with ${ran.status ?? ran.signal}: ${ran.stdout}${ran.stderr}`,
    )
  }
  return JSON.parse(ran.stdout) as Answer
}

/** A number written with letters alone, because digits would split the word. */
function letters(number: number): string {
  return [...number.toString(16)]
    .map((digit) => String.fromCharCode(103 + Number.parseInt(digit, 16)))
    .join("")
}

function pick(below: number): number {
  return Math.floor(random() * below)
}
