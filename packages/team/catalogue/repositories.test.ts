import { describe, expect, test } from "bun:test"
import { hasPostgres, Postgres } from "../../../test/postgres.ts"
import { Catalogue } from "./catalogue.ts"
import { addRepository, claimJob, holdsJob, LEASE_S, renewJob } from "./repositories.ts"

describe.skipIf(!hasPostgres)("a job whose worker has ended", () => {
  test("is the next one that a worker claims, once its lease has expired; the first claim is void then", async () => {
    await using postgres = await Postgres.start()
    await using catalogue = await Catalogue.open(postgres.url)
    for (const name of ["old", "abandoned"]) await addRepository(catalogue, "ada", name, `/${name}`)
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
    for (const name of ["deadly", "other"]) await addRepository(catalogue, "ada", name, `/${name}`)
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
  }, 60_000)
})
