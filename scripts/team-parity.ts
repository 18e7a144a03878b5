/**
 * Asks every labelled question of a corpus as a project, as a clone and through a team's node, and compares the answers:
 *
 *   bun scripts/team-parity.ts --corpus DIR --labels FILE [--limit 10]
 *
 * DIR has a folder for each repository that FILE names; FILE has the format of the benchmarks' labels. Each question is
 * asked about its own repository in three ways (project, clone, node) and about all repositories in two (clones, node).
 * Paths, lines, scores, feature values and notices have to be equal. Differences are printed; the exit code is 1 if
 * there are any. Needs the compiled binary and PostgreSQL, as the tests do.
 */
import { cpSync } from "node:fs"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { readLabels } from "../packages/lab/bench/labels.ts"
import { type Answer, TeamSpace } from "../test/e2e/team-space.ts"
import { commit } from "../test/git-repository.ts"

const { values } = parseArgs({
  options: {
    corpus: { type: "string" },
    labels: { type: "string" },
    limit: { type: "string", default: "10" },
  },
})
if (values.corpus === undefined || values.labels === undefined)
  throw new Error("usage: bun scripts/team-parity.ts --corpus DIR --labels FILE")
const limit = Number(values.limit)
const { corpus } = values
const labels = readLabels(values.labels, corpus)

await using team = await TeamSpace.start()
const folders = labels.map(({ name }) => {
  const folder = team.box.repository(name)
  cpSync(join(corpus, name), folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => basename(path) !== ".aman",
  })
  commit(folder, "first")
  return folder
})
for (const folder of folders) await team.admin("add", folder)
await team.admin("grant", "all", ...folders)
await runOrThrow(["team", "worker", "--once", "--quiet"], team.env)
// The size limit of files in clones is lower than that in a project or a team's index.
const clones = { AMAN_REPOS_URLS: folders.join(",") }
await runOrThrow(["repos", "sync", "--quiet"], clones)
const token = await team.token("ada", "all")
await team.serve(["--deadline", "25"])

let questions = 0
let differences = 0
for (const [at, { name, queries }] of labels.entries()) {
  const folder = folders[at]!
  for (const { query } of queries) {
    questions++
    const node = await askNode(query, folder)
    const project = await askHere(query, [], folder)
    const clone = await askHere(query, ["--repository", folder], team.space.project)
    const nodeForAll = await askNode(query, "*")
    const clonesForAll = await askHere(query, ["--repository", "*"], team.space.project)
    compare(`${name}, project: ${query}`, withoutRepository(node, folder), project)
    compare(`${name}, clone: ${query}`, node, clone)
    compare(`all: ${query}`, nodeForAll, clonesForAll)
  }
  console.log(`${name}: ${queries.length} questions; ${differences} differences so far`)
}
console.log(
  `${labels.length} repositories, ${questions} questions, ${questions * 3} comparisons, ${differences} differences`,
)
process.exitCode = differences === 0 && questions > 0 ? 0 : 1

async function runOrThrow(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const { code, stderr } = await team.space.run(args, { env })
  if (code !== 0) throw new Error(`aman ${args.join(" ")} ended with ${code}: ${stderr}`)
}

async function askNode(query: string, repository: string): Promise<Answer> {
  const { status, answer } = await team.ask(token, "/v1/search", { query, repository, limit, explain: true })
  if (status !== 200) throw new Error(`the node answered with ${status}: ${JSON.stringify(answer)}`)
  return answerOf(answer)
}

async function askHere(query: string, args: readonly string[], cwd: string): Promise<Answer> {
  const call = ["search", "--limit", `${limit}`, "--explain", ...args, "--", query] as const
  return answerOf(await team.space.json(call, { env: clones, cwd }))
}

/** The parts of an answer that have to be equal everywhere. */
function answerOf({ class: kind, results, next_offset, notices }: Answer): Answer {
  return { kind, results, next_offset, notices }
}

function withoutRepository({ results, notices, ...rest }: Answer, name: string): Answer {
  return {
    ...rest,
    results: results.map(({ repository: _, ...result }: Answer) => result),
    notices: notices.map((notice: string) => notice.replace(`${name}: `, "")),
  }
}

function compare(what: string, one: Answer, other: Answer): void {
  const [first, second] = [one, other].map((each) => JSON.stringify(sorted(each)))
  if (first === second) return
  differences++
  const start = [...first!].findIndex((letter, at) => letter !== second![at])
  const part = (text: string) => text.slice(Math.max(0, start - 120), start + 120)
  console.log(`different: ${what}\n  ${part(first!)}\n  ${part(second!)}`)
}

/** A copy of a value whose objects have their keys in alphabetical order. */
function sorted(value: Answer): Answer {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}
