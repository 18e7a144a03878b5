import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { grant } from "../../packages/team/catalogue/access.ts"
import { Catalogue } from "../../packages/team/catalogue/catalogue.ts"
import { addRepository } from "../../packages/team/catalogue/repositories.ts"
import { hasPostgres } from "../postgres.ts"
import { type Answer, type Node, TeamSpace } from "./team-space.ts"

/** Repositories that are ranked in full, as MAX_IN_FULL in src/ask/repositories/search.ts. */
const IN_FULL = 50
const COUNT = IN_FULL + 4
/** Position of the repository with the best answer: without an estimate of all, it would be left out. */
const BEST = COUNT - 1
/** Positions of the repositories that a worker indexes. The others have the revision of the first. */
const REAL = [0, 7, BEST]
/** Files of those that match: one of each, two of the best. */
const FILES_IN_FULL = IN_FULL + 1
const QUESTION = "start the job again after a failure"
/** Pages of a text search that many repositories contribute to, or whose tokens are spent by the first ones. */
const PAGES = [
  {},
  { limit: 3 },
  { limit: 5, offset: 2 },
  { tokens: 60 },
  { limit: 40, offset: 30, isAll: true },
]
const NOTICE = `of ${COUNT} repositories that match, the ${IN_FULL} with the best estimates were ranked in full; to rank all: --rank-all, or name a repository`

function filesOf(at: number): Record<string, string> {
  const main = { "main.py": `def start_${at}(job):\n    """Start the job."""\n    return job\n` }
  if (at !== BEST) return main
  const retry = 'def retry(job):\n    """Start the job again after a failure."""\n    return job\n'
  return { ...main, "retry.py": retry, "walrus.py": "def walrus(value):\n    return value\n" }
}

describe.skipIf(!hasPostgres)("a question that many repositories match", () => {
  let team: TeamSpace
  let folders: string[]
  let ada: string
  let first: Node

  beforeAll(async () => {
    team = await TeamSpace.start()
    const nameOf = (at: number) => `r${String(at).padStart(2, "0")}`
    const real = REAL.map((at) => team.box.repository(nameOf(at), filesOf(at)))
    folders = Array.from({ length: COUNT }, (_, at) => join(team.box.box, nameOf(at)))
    await using catalogue = await Catalogue.open(team.postgres.url)
    for (const folder of real) await addRepository(catalogue, "test", { name: folder, url: folder })
    const worker = await team.space.run(["team", "worker", "--once", "--quiet"], { env: team.env })
    expect(worker.code).toBe(0)
    await publishLike(
      real[0]!,
      folders.filter((folder) => !real.includes(folder)),
    )
    await grant(catalogue, "test", { team: "all", repositories: folders, isWithdrawal: false })
    const some = folders.slice(COUNT - IN_FULL)
    await grant(catalogue, "test", { team: "some", repositories: some, isWithdrawal: false })
    ada = await team.token("ada", "all")
    first = await team.serve(["--name", "first"])
  }, 240_000)
  afterAll(() => team?.[Symbol.asyncDispose](), 60_000)

  /** Adds repositories with the published revision of another one: indexing each takes a third of a second. */
  const publishLike = async (model: string, names: readonly string[]) => {
    await team.postgres.query(`
      INSERT INTO aman.repositories (name, url) SELECT name, name FROM unnest(ARRAY['${names.join("','")}']) AS name;
      INSERT INTO aman.revisions OVERRIDING SYSTEM VALUE
        SELECT (jsonb_populate_record(v, jsonb_build_object(
          'id', nextval(pg_get_serial_sequence('aman.revisions', 'id')), 'repository_id', r.id))).*
        FROM aman.repositories r, aman.revisions v JOIN aman.repositories m ON m.revision_id = v.id
        WHERE r.revision_id IS NULL AND m.name = '${model}';
      UPDATE aman.repositories r SET revision_id = v.id FROM aman.revisions v
        WHERE v.repository_id = r.id AND r.revision_id IS NULL`)
  }

  const askOn = async (node: Node, query: string, more: object = {}, token = ada): Promise<Answer> => {
    team.url = node.url
    const { status, answer } = await team.ask(token, "/v1/search", { query, limit: 10, ...more })
    expect(status).toBe(200)
    const { took_ms: _, ...rest } = answer
    return rest
  }

  test("a name of several words is looked for where it is whole, else by its words", async () => {
    const whole = await askOn(first, "start_7")
    expect([whole.ranked, whole.results.map(({ repository }: Answer) => repository)]).toEqual([
      undefined,
      [folders[7]],
    ])
    const words = await askOn(first, "start_job")
    expect(words.ranked).toEqual({ full: IN_FULL, of: COUNT })
  })

  test("ranks the most promising repositories in full, and says so", async () => {
    const { results, notices, ranked, repositories } = await askOn(first, QUESTION)
    expect(results[0]).toMatchObject({ repository: folders[BEST], path: "retry.py" })
    expect([ranked, notices]).toEqual([{ full: IN_FULL, of: COUNT }, [NOTICE]])
    expect(repositories).toHaveLength(COUNT)
    const last = await askOn(first, QUESTION, { offset: 40, limit: 20 })
    expect([last.results.length, last.next_offset]).toEqual([FILES_IN_FULL - 40, null])
  }, 60_000)

  test("ranks all repositories in full on request", async () => {
    const whole = await askOn(first, QUESTION, { rank_all: true })
    expect([whole.ranked, whole.notices]).toEqual([undefined, []])
    expect((await askOn(first, QUESTION)).results).toEqual(whole.results)
    await team.space.run(["team", "login", first.url], { stdin: ada })
    const args = ["search", "--team", "*", "--limit", "20", "--offset", "40", QUESTION] as const
    const all = await team.space.json([...args, "--rank-all"])
    expect(all.results).toHaveLength(COUNT + 1 - 40)
    const { stdout, stderr } = await team.space.run([...args])
    expect(stdout + stderr).toContain(NOTICE)
  }, 60_000)

  test("ranks in full without a notice what few repositories match, or few may be read", async () => {
    const rare = await askOn(first, "walrus")
    expect([rare.ranked, rare.notices]).toEqual([undefined, []])
    expect(rare.results[0]).toMatchObject({ repository: folders[BEST], path: "walrus.py" })
    const bob = await team.token("bob", "some")
    const { ranked, notices, repositories } = await askOn(first, QUESTION, {}, bob)
    expect([ranked, notices, repositories.length]).toEqual([undefined, [], IN_FULL])
  }, 60_000)

  const textOn = async (node: Node, page: object): Promise<Answer> => {
    team.url = node.url
    const { status, answer } = await team.ask(ada, "/v1/grep", { query: "job", ...page })
    expect(status).toBe(200)
    const { took_ms: _, ...rest } = answer
    return rest
  }

  test("answers alike from two nodes", async () => {
    const questions = [QUESTION, "start the job again after a failrue", "no_such_word_anywhere", "walrus"]
    const alone = await Promise.all(questions.map((query) => askOn(first, query, { explain: true })))
    expect(alone[1].notices).toContain(NOTICE)
    const pages = await Promise.all(PAGES.map((page) => textOn(first, page)))
    const second = await team.serve(["--name", "second"])
    for (const [at, query] of questions.entries())
      expect(await askOn(second, query, { explain: true })).toEqual(alone[at])
    for (const [at, page] of PAGES.entries()) expect(await textOn(second, page)).toEqual(pages[at])
    expect(pages.map(({ files }) => files)).toEqual(PAGES.map(() => COUNT + 1))
  }, 60_000)

  test("names the repositories that were not asked for one reason in one notice", async () => {
    await team.postgres.query(
      `UPDATE aman.revisions SET index_version = 0 WHERE repository_id <>
        (SELECT id FROM aman.repositories WHERE name = '${folders[BEST]}')`,
    )
    const { results, notices } = await askOn(first, QUESTION)
    expect(results[0]).toMatchObject({ repository: folders[BEST], path: "retry.py" })
    const why = "were not asked, each for this reason: its index is of another version of aman"
    expect(notices).toEqual([
      `${folders
        .filter((_, at) => at !== BEST)
        .slice(0, 5)
        .join(", ")}, ${COUNT - 6} more ${why}`,
    ])
  }, 60_000)
})
