import { describe, expect, test } from "bun:test"
import { hasPostgres, Postgres } from "../../../test/postgres.ts"
import { grant, makeToken, readerNamed } from "./access.ts"
import { Catalogue } from "./catalogue.ts"
import {
  addRepository,
  claimJob,
  holdsJob,
  keepBranches,
  LEASE_S,
  listRepositories,
  MAX_BRANCHES,
  matchingBranches,
  nameMatcher,
  renewJob,
} from "./repositories.ts"

describe.skipIf(!hasPostgres)("a job whose worker has ended", () => {
  test("is the next one that a worker claims, once its lease has expired; the first claim is void then", async () => {
    await using postgres = await Postgres.start()
    await using catalogue = await Catalogue.open(postgres.url)
    for (const name of ["old", "abandoned"]) await addRepository(catalogue, "ada", { name, url: `/${name}` })
    const wantedAgo = (name: string, seconds: number) =>
      postgres.query(
        `UPDATE aman.jobs SET wanted_at = now() - interval '${seconds} s'
         WHERE repository_id = (SELECT id FROM aman.repositories WHERE name = '${name}')`,
      )
    await wantedAgo("abandoned", 900)
    const first = (await claimJob(catalogue, "first"))!
    expect(first.name).toBe("abandoned")
    expect(await renewJob(catalogue, first)).toBe(true)
    const [lease] = await postgres.query(
      `SELECT extract(epoch FROM lease_until - now())::float8 AS seconds FROM aman.jobs WHERE claim = '${first.claim}'`,
    )
    expect(lease!["seconds"]).toBeLessThanOrEqual(LEASE_S)

    // Renewed too late, and the other repository was requested before it.
    await wantedAgo("abandoned", 10)
    await wantedAgo("old", 900)
    await postgres.query(
      `UPDATE aman.jobs SET lease_until = now() - interval '1 ms' WHERE claim = '${first.claim}'`,
    )
    expect(await renewJob(catalogue, first)).toBe(true)
    await postgres.query(
      `UPDATE aman.jobs SET lease_until = now() - interval '1 ms' WHERE claim = '${first.claim}'`,
    )
    const second = (await claimJob(catalogue, "second"))!
    expect(second.name).toBe("abandoned")
    expect(await renewJob(catalogue, first)).toBe(false)
    expect(await catalogue.transaction((sql) => holdsJob(sql, first))).toBe(false)
    expect(await catalogue.transaction((sql) => holdsJob(sql, second))).toBe(true)
    expect((await claimJob(catalogue, "third"))!.name).toBe("old")
    expect(await claimJob(catalogue, "fourth")).toBeNull()
  }, 60_000)

  test("waits after its sixth worker, so that other jobs are done, and its repository names the reason", async () => {
    await using postgres = await Postgres.start()
    await using catalogue = await Catalogue.open(postgres.url)
    for (const name of ["deadly", "other"]) await addRepository(catalogue, "ada", { name, url: `/${name}` })
    await postgres.query(
      "UPDATE aman.jobs SET wanted_at = now() - interval '1 h' WHERE repository_id = (SELECT id FROM aman.repositories WHERE name = 'deadly')",
    )
    const expire = (seconds: number) =>
      postgres.query(
        `UPDATE aman.jobs SET lease_until = now() - interval '${seconds} s' WHERE claim IS NOT NULL`,
      )
    const errors = async () =>
      (await postgres.query("SELECT error FROM aman.repositories ORDER BY name")).map((row) => row["error"])
    for (let worker = 1; worker <= 6; worker++) {
      expect((await claimJob(catalogue, "doomed"))!.name).toBe("deadly")
      await expire(1)
    }
    expect(await errors()).toEqual([expect.stringMatching(/a worker ended.* at try 5$/), null])
    expect((await claimJob(catalogue, "doomed"))!.name).toBe("other")
    expect(await claimJob(catalogue, "idle")).toBeNull()
    await expire(11)
    const names = [await claimJob(catalogue, "a"), await claimJob(catalogue, "b")].map((job) => job?.name)
    expect(names.sort()).toEqual(["deadly", "other"])
    // The seventh ended as well: twice the pause.
    await expire(11)
    expect((await claimJob(catalogue, "c"))!.name).toBe("other")
    expect(await claimJob(catalogue, "d")).toBeNull()

    // A repository that is added while a pattern is granted: neither transaction has ended when the other one begins.
    await using second = await Catalogue.open(postgres.url)
    const waiting = async (count: number) => {
      const query = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
      while ((await postgres.query(query))[0]!["n"] !== count) await Bun.sleep(10)
    }
    const release = await postgres.lock("aman.audit")
    const adding = addRepository(catalogue, "ada", { name: "host/late", url: "/late" })
    await waiting(1)
    const pattern = { team: "all", repositories: ["host/*"], isWithdrawal: false }
    const granting = grant(second, "ada", pattern)
    await waiting(2)
    await release()
    await Promise.all([adding, granting])
    await makeToken(catalogue, "ada", { principal: "bob", teams: ["all"], days: null })
    const readable = async () =>
      (await readerNamed(catalogue, "bob")).repositories.map((each) => each.repository)
    expect(await readable()).toEqual(["host/late"])

    // Branches have the rights of their repository; of too many, those that are there stay.
    const job = { ...(await claimJob(catalogue, "e"))! }
    expect(job.name).toBe("host/late")
    await keepBranches(catalogue, job, ["r/9"])
    const many = Array.from({ length: MAX_BRANCHES + 1 }, (_, at) => `a/${100 + at}`)
    await keepBranches(catalogue, job, [...many, "r/9"])
    const found = (await listRepositories(catalogue)).filter(({ repository }) =>
      repository.startsWith("host/late"),
    )
    expect(found.length).toBe(1 + MAX_BRANCHES)
    expect(found.map(({ repository }) => repository)).toContain("host/late#r/9")
    expect(found.find(({ repository }) => repository === "host/late")!.left_branches).toBe(2)
    expect((await readable()).length).toBe(1 + MAX_BRANCHES)
    await keepBranches(catalogue, job, [])
    expect(await readable()).toEqual(["host/late"])
  }, 60_000)
})

test("a pattern matches whole names, with their case", () => {
  for (const [pattern, name, matches] of [
    ["a*", "abc", true],
    ["*c", "abc", true],
    ["a*c", "ac", true],
    ["a*b*c", "a-b-b-c", true],
    ["ab*bc", "abc", false],
    ["*", "", true],
    ["a", "a", true],
    ["a", "ab", false],
    ["host/Owner/*", "host/owner/x", false],
    ["a.c*", "abc", false],
  ] as const)
    expect([pattern, name, nameMatcher(pattern)(name)]).toEqual([pattern, name, matches])
  const branches = ["main", "release/2", "release/1", "topic"]
  expect(matchingBranches(branches, ["main", "release/*"], "main")).toEqual(["release/1", "release/2"])
})
