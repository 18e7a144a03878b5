import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { SHOP } from "../../../test/e2e/sample.ts"
import { REQUEST, TempProject } from "../../../test/temp-project.ts"
import type { SearchRequest } from "../../base/answers.ts"
import type { Project } from "../../index/open/open-project.ts"
import { indexProject } from "../../index/update/index-project.ts"
import { searchProject } from "./search-project.ts"

// As in scripts/test.ts: several tests index a project up to four times, longer than 5 s on a machine under load.
setDefaultTimeout(60_000)

const MODES = ["hybrid", "keyword", "semantic"] as const

describe("an answer", () => {
  let shop: TempProject
  beforeAll(async () => {
    shop = new TempProject(SHOP)
    await shop.index()
  })
  afterAll(() => shop[Symbol.dispose]())

  let project: Project
  const find = (query: string, request: Partial<SearchRequest> = {}) => {
    project ??= shop.open()
    return searchProject(project, { ...REQUEST, ...request, query }, { refresh: false })
  }

  test("starts with the queried definition and shows its lines unchanged", async () => {
    const { results, query, partial, notices, ...rest } = await find("RefundPayment")
    expect([query, rest.class, partial, notices]).toEqual(["RefundPayment", "identifier", null, []])
    expect(results[0]).toMatchObject({
      path: "billing/refund.go",
      language: "go",
      symbol: "Ledger.RefundPayment",
      score: 1,
    })
    for (const { path, start_line, end_line, text } of results) {
      const lines = readFileSync(join(shop.root, path), "utf8").split("\n")
      expect(text).toBe(lines.slice(start_line - 1, end_line).join("\n"))
    }
  })

  test.each(MODES)("lists each file once, best first, up to the limit: %s", async (mode) => {
    const all = await find("refund payment login", { mode, limit: 50 })
    const paths = all.results.map((result) => result.path)
    expect(new Set(paths).size).toBe(paths.length)
    const scores = all.results.map((result) => result.score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(Math.max(...scores)).toBeLessThanOrEqual(1)
    const two = await find("refund payment login", { mode, limit: 2 })
    expect(two.results.map((result) => result.path)).toEqual(paths.slice(0, 2))
  })

  test.each(["refund payment", "RefundPayment", "how are customers paid back", "Ledger.RefundPayment"])(
    "the contributions in an explanation add up to the score: %s",
    async (query) => {
      for (const mode of MODES) {
        const { results } = await find(query, { mode, explain: true })
        expect(results.length).toBeGreaterThan(0)
        for (const { explanation } of results) {
          const sum = explanation!.features.reduce((total, each) => total + each.contribution, 0)
          expect(sum).toBeCloseTo(explanation!.sum, 9)
          for (const rank of Object.values(explanation!.channels)) expect(rank).toBeGreaterThanOrEqual(1)
          expect(mode === "keyword" && "vector" in explanation!.channels).toBe(false)
        }
        const sums = results.map((result) => result.explanation!.sum)
        expect(sums).toEqual(sums.toSorted((a, b) => b - a))
      }
      expect((await find(query)).results.every((result) => result.explanation === undefined)).toBe(true)
    },
  )

  test("applies all filters together", async () => {
    const paths = async (request: Partial<SearchRequest>) =>
      (await find("refund a payment or the login hash", request)).results.map((result) => result.path).sort()
    expect(await paths({ languages: ["go"] })).toEqual(["billing/refund.go", "billing/refund_test.go"])
    expect(await paths({ content: "docs" })).toContain("README.md")
    expect(await paths({ content: "code" })).not.toContain("README.md")
    expect(await paths({ paths: ["web"] })).toEqual(["web/hash.ts", "web/login.ts"])
    expect(await paths({ paths: ["web", "*_test.go"] })).toEqual([
      "billing/refund_test.go",
      "web/hash.ts",
      "web/login.ts",
    ])
    expect(await paths({ languages: ["go"], paths: ["web"] })).toEqual([])
    for (const mode of MODES) expect(await paths({ mode, kinds: ["method"] })).toContain("billing/refund.go")
    expect(await paths({ kinds: ["method"] })).not.toContain("web/hash.ts")
  })

  test("prefers files in the user's folder", async () => {
    shop.write("copies/a/note.txt", "Vouchers expire at the end of the year.\n")
    shop.write("copies/b/note.txt", "Vouchers expire at the end of the year.\n")
    await shop.index()
    for (const [cwd, first] of [
      ["copies/a", "copies/a/note.txt"],
      ["copies/b", "copies/b/note.txt"],
    ] as const) {
      const there = shop.open({ cwd: join(shop.root, cwd) })
      const { results } = await searchProject(there, { ...REQUEST, query: "vouchers" }, { refresh: false })
      expect(results[0]!.path).toBe(first)
    }
  })

  test("is never empty while a word of the query occurs in a text", async () => {
    const words = ["customer", "ledger", "attempts", "monthly", "hash", "refunds", "charCodeAt", "1.22"]
    for (const word of words)
      for (const query of [word, `where is ${word} dealt with`, `${word} xyzzy frobnicate`])
        expect((await find(query, { mode: "keyword" })).results).not.toBeEmpty()
  })

  test("exists for any query", async () => {
    const query = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc
        .array(fc.constantFrom("refund", "Ledger", "::", '"', "*", "(", "\n", "\0", "é", "検索"), {
          maxLength: 60,
        })
        .map((parts) => parts.join(" ")),
    )
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom(...MODES), async (text, mode) => {
        const { results } = await find(text, { mode, limit: 3, explain: true })
        expect(results.length).toBeLessThanOrEqual(3)
        for (const { score, also } of results) {
          expect(Number.isFinite(score)).toBe(true)
          expect(also.length).toBeLessThanOrEqual(4)
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe("further places of a file", () => {
  test("are at most four, without the best place, all within the file", async () => {
    const functions = Array.from(
      { length: 12 },
      (_, i) =>
        `def retry_${i}(upload):\n    """Retry upload."""\n${"    upload.wait()\n".repeat(130)}    return upload.again(${i})\n`,
    )
    using project = new TempProject({ "uploads.py": functions.join("\n\n") })
    await project.index()
    const { results } = await project.search("retry upload", { mode: "keyword" })
    const [{ start_line, symbol, also } = { start_line: 0, symbol: "", also: [] }] = results
    expect(results).toHaveLength(1)
    expect(symbol).toStartWith("retry_")
    expect(also).toHaveLength(4)
    expect(new Set([start_line, ...also.map((place) => place.start_line)]).size).toBe(5)
    for (const place of also) expect(place.symbol).toStartWith("retry_")
  })
})

describe("a file that changed after it was indexed", () => {
  const OLD = "The treasure is buried under the oak.\n"
  const NEW = "The treasure was moved to the bank.\n"

  test("is indexed before it is shown", async () => {
    using island = new TempProject({ "map.txt": OLD, "ship.txt": "The ship carries no treasure.\n" })
    await island.index()
    island.write("map.txt", NEW)
    const request = { ...REQUEST, query: "treasure", mode: "keyword" } as const
    const { results, notices } = await searchProject(island.open(), request, { refresh: true })
    expect(results.map((result) => result.text).sort()).toEqual([
      "The ship carries no treasure.",
      "The treasure was moved to the bank.",
    ])
    expect(notices).toEqual([])
  })

  test("is left out with a notice if it cannot be indexed", async () => {
    using island = new TempProject({ "map.txt": OLD, "ship.txt": "The ship carries no treasure.\n" })
    await island.index()
    island.write("map.txt", NEW)
    const { results, notices } = await island.search("treasure oak")
    expect(results.map((result) => result.path)).toEqual(["ship.txt"])
    expect(notices).toHaveLength(1)
    island.remove("ship.txt")
    expect((await island.search("treasure oak")).results).toEqual([])
  })

  test("is searched again after the leader has indexed it", async () => {
    using island = new TempProject({ "map.txt": OLD })
    await island.index()
    island.write("map.txt", NEW)
    const project = island.open()
    let asked = 0
    const reindex = async () => {
      asked++
      await indexProject(island.open())
      return "done" as const
    }
    const request = { ...REQUEST, query: "treasure" }
    const { results, notices } = await searchProject(project, request, { refresh: false, reindex })
    expect([asked, results.map((result) => result.text), notices]).toEqual([1, [NEW.trimEnd()], []])
  })

  test("does not delay the query forever, however often it changes", async () => {
    using island = new TempProject({ "map.txt": OLD })
    await island.index()
    let asked = 0
    const reindex = async () => {
      asked++
      await indexProject(island.open())
      island.write("map.txt", `${NEW}Moved ${asked} times.\n`)
      return "done" as const
    }
    island.write("map.txt", NEW)
    const request = { ...REQUEST, query: "treasure" }
    const { results, notices } = await searchProject(island.open(), request, { refresh: false, reindex })
    expect(results).toEqual([])
    expect(notices).toHaveLength(1)
    expect(asked).toBeLessThanOrEqual(3)
  })
})

describe("before the index is complete", () => {
  test("the answer is empty and says that there is no index", async () => {
    using project = new TempProject({ "a.txt": "words\n" })
    expect(await project.search("words")).toMatchObject({
      results: [],
      partial: { done: 0, total: 0, share: 0 },
      notices: ["there is no index yet"],
    })
  })

  test("the answer says how much of the project is indexed", async () => {
    using project = new TempProject()
    for (let i = 0; i < 6; i++) project.write(`f${i}.txt`, `words ${"and more ".repeat(12_000)}\n`)
    const abort = new AbortController()
    const interrupted = project.open({
      onProgress: ({ phase, done }) => {
        if (phase === "parse" && done > 0) abort.abort()
      },
    })
    await expect(indexProject(interrupted, { signal: abort.signal })).rejects.toMatchObject({
      code: "INTERRUPTED",
    })
    const { results, partial } = await project.search("words", { mode: "keyword" })
    expect(results.length).toBe(partial!.done)
    expect(partial).toMatchObject({ total: 6, share: partial!.done / 6 })
    expect(partial!.done).toBeWithin(1, 6)
    await project.index()
    expect((await project.search("words", { mode: "keyword" })).partial).toBeNull()
  })
})
