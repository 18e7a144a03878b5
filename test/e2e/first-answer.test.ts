import { expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { LeaderLock } from "../../src/store/lock/lead.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { indexedBefore } from "./killed-index.ts"
import { onTerminal } from "./on-terminal.ts"

setDefaultTimeout(60_000)

const FILES = {
  "src/net/retry_policy.py":
    "import time\n\n\nclass RetryPolicy:\n    def backoff(self):\n        return time.time()\n",
  "src/net/client.py":
    "def send(request):\n    # A retry follows the policy of the server.\n    return request\n",
  "src/cats.py": "def feed(cat):\n    return cat\n",
  "docs/retries.md": "# Retries\n\nThe policy of a retry is linear.\n",
  "tests/test_retry.py": "def test_retry_policy():\n    pass\n",
}

/** Keeps every aman process from indexing until it is released, as a slow leader does. */
function holdLead(space: Workspace): LeaderLock {
  mkdirSync(join(space.project, ".aman"))
  return LeaderLock.take(join(space.project, ".aman"))!
}

test("until there is an index, a server finds words in the files, and says so", async () => {
  using space = new Workspace(FILES)
  const lead = holdLead(space)
  await using server = await connect(space)
  const search = async (args: object) => (await server.call("search", args)).structuredContent
  const pathsOf = async (args: object): Promise<string[]> =>
    (await search(args)).results.map(({ path }: { path: string }) => path)

  const answer = await server.call("search", { query: "where is the retry policy" })
  expect(answer.content[0]!.text).toContain("still being built")
  expect(answer.content[0]!.text).toContain(
    "5 files that are not indexed yet were only searched for the words of the query",
  )
  const { results, partial } = answer.structuredContent
  expect(partial).toMatchObject({ done: 0 })
  expect(results[0]).toMatchObject({ path: "src/net/retry_policy.py", kind: "text", start_line: 4 })
  expect(results[0].text).toStartWith("class RetryPolicy:")
  expect(results.length).toBe(4)

  expect(await pathsOf({ query: "retries", path: "docs" })).toEqual(["docs/retries.md"])
  expect(await pathsOf({ query: "retry", content: "docs" })).toEqual(["docs/retries.md"])
  expect(await pathsOf({ query: "retry -file:src -linear" })).toEqual(["tests/test_retry.py"])
  expect(await pathsOf({ query: 'retry "Of The Server"' })).toEqual(["src/net/client.py"])
  expect(await pathsOf({ query: "zebra" })).toEqual([])
  // A kind needs the syntax tree.
  expect(await pathsOf({ query: "retry", kind: "class" })).toEqual([])

  const task = { task: "where is the retry policy", tokens: 900 }
  const { files, hints, tokens } = (await server.call("context", task)).structuredContent
  expect(files[0]).toMatchObject({ path: "src/net/retry_policy.py", snippets: [{ lines: "4-6" }] })
  expect(files[0].snippets[0].why).toEndWith("; not indexed yet")
  expect(files.length).toBe(4)
  expect(hints.join()).toContain("5 files that are not indexed yet were only searched")
  expect(tokens).toBeLessThanOrEqual(900)

  const symbol = await server.call("symbol", { name: "RetryPolicy" })
  expect([symbol.isError, symbol.content[0]!.text]).toEqual([true, expect.stringContaining("no index yet")])

  lead.release()
  const whole = await search({ query: "retry policy", wait: true })
  expect(whole).toMatchObject({ partial: null, notices: [] })
  expect(whole.results[0]).toMatchObject({ path: "src/net/retry_policy.py", symbol: "RetryPolicy" })
})

test("an index of half the files answers for them, and words for the others", async () => {
  using space = new Workspace({ "docs/late.md": "# Total\n\nEvery total is late.\n" })
  const body = "    total = total + handle(total)  # keeps the running total\n".repeat(40)
  for (let i = 0; i < 600; i++) space.write(`src/m${i}.py`, `def work_${i}(total):\n${body}`)
  expect(await indexedBefore(space, space.project, "src/m0.py")).toBeLessThan(601)
  using _lead = LeaderLock.take(join(space.project, ".aman"))!
  await using server = await connect(space)
  const { results, partial } = (await server.call("search", { query: "total", limit: 50 })).structuredContent
  expect(partial.share).toBeGreaterThan(0)
  const kinds = results.map(({ kind }: { kind: string }) => kind)
  const textCount = kinds.filter((kind: string) => kind === "text").length
  expect(textCount).toBeGreaterThan(0)
  expect(textCount).toBeLessThan(50)
  expect(new Set(results.map(({ path }: { path: string }) => path)).size).toBe(50)

  // So does the context for a task. The other answers hold what is indexed, and say how much that is.
  const { files, hints } = (await server.call("context", { task: "total", tokens: 20_000 })).structuredContent
  const whys: string[] = files.flatMap(({ snippets }: { snippets: { why: string }[] }) =>
    snippets.map(({ why }) => why),
  )
  const unread = whys.filter((why) => why.endsWith("not indexed yet")).length
  expect(unread).toBeGreaterThan(0)
  expect(unread).toBeLessThan(whys.length)
  expect(hints[0]).toMatch(/^the index is not complete yet: \d+ % of the files$/)
  const state = /still being built \(\d+ % of the files\)/
  for (const [tool, args] of [
    ...["definition", "references", "callers", "callees", "implementations", "impact"].map(
      (relation) => ["symbol", { name: "work_0", relation }] as const,
    ),
    ["symbol", { relation: "outline", path: "src/m0.py" }],
    ["symbol", { relation: "unused" }],
    ["symbol", { relation: "central" }],
    ["context", { task: "" }],
    ["search", { query: "total" }],
  ] as const)
    expect([args, (await server.call(tool, args)).content[0]!.text]).toEqual([
      args,
      expect.stringMatching(state),
    ])
  const unused = await server.call("symbol", { relation: "unused" })
  expect(unused.content[0]!.text).toContain("files that are not indexed yet may use them")
  const outline = await server.call("symbol", { relation: "outline", path: "docs/late.md" })
  expect(outline.content[0]!.text).toMatch(/the index holds \d+ % of the files so far/)
  const late = await server.call("symbol", { name: "no_such_name" })
  expect(late.content[0]!.text).toMatch(/the index holds \d+ % of the files so far/)
})

test("on a terminal, the first search in a large project shows what words find before its index is built", async () => {
  using space = new Workspace(FILES)
  for (let i = 0; i < 1_000; i++) space.write(`src/made/m${i}.py`, `def made_${i}():\n    return ${i}\n`)
  const { code, written } = await onTerminal(space, ["search", "retry", "policy"])
  expect(code).toBe(0)
  const [early, late] = Bun.stripANSI(written).split("# from the index")
  expect(early).toContain("# first answer, by words only")
  expect(early).toContain("src/net/retry_policy.py:4")
  expect(late).toContain("src/net/retry_policy.py:4  RetryPolicy (class)")
  const again = await onTerminal(space, ["search", "retry", "policy"])
  expect(again.written).not.toContain("# first answer, by words only")
})

test("a program that reads the answer waits for the first index of a large project only if it asks to", async () => {
  using space = new Workspace(FILES)
  for (let i = 0; i < 1_000; i++) space.write(`src/made/m${i}.py`, `def made_${i}():\n    return ${i}\n`)
  const lead = holdLead(space)
  const early = await space.run(["search", "retry", "policy"])
  expect(early.code).toBe(0)
  expect(early.stdout).toContain("src/net/retry_policy.py:4")
  expect(early.stderr).toContain("the index is not whole yet: 0 % of the files; it is being built")
  const { stdout } = await space.run(["search", "--json", "retry", "policy"])
  expect(JSON.parse(stdout)).toMatchObject({ partial: { done: 0 }, results: [{ kind: "text" }, {}, {}, {}] })
  lead[Symbol.dispose]()
  // One that nobody waits for indexes it.
  while ((await space.json(["search", "retry", "policy"])).partial !== null) await Bun.sleep(50)
  while ((await space.run(["clean"])).code !== 0) await Bun.sleep(50)
  const whole = await space.json(["search", "--wait", "retry", "policy"])
  expect(whole.partial).toBeNull()
  expect(whole.results[0]).toMatchObject({
    kind: "class",
    symbol: "RetryPolicy",
  })
})
