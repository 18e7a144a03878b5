import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { Remotes } from "./remotes.ts"

/** The file that answers has no word of the question; the others have several. */
const FILES = {
  "mail/suppression.ts":
    "export class BounceBlocklist {\n  suppressEmail(address: string) {\n    this.blocked.add(address)\n  }\n}\n",
  "people/write.ts":
    "/** Lets people write to others. */\nexport function writeTo(people: string[]) {\n  return people\n}\n",
  "people/longer.ts":
    "/** Which people no longer write. */\nexport const noLonger = (people: string[]) => people\n",
  "queue/retry.ts": "export function backoff(attempt: number) {\n  return 2 ** attempt\n}\n",
}
const QUERY = "which people do we no longer write to"
const NAMES = ["bounce", "blocklist", "suppressEmail", "unsubscribed"]
const RIGHT = "mail/suppression.ts"

let space: Workspace
let server: Connection
beforeAll(async () => {
  space = new Workspace(FILES)
  await space.run(["index"])
  server = await connect(space)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

type Found = { readonly results: readonly { readonly path: string }[]; readonly notices: readonly string[] }
const pathsOf = ({ results }: Found) => results.map(({ path }) => path)
const called = async (args: object) => (await server.call("search", args)).structuredContent as Found
const typed = async (...args: string[]) =>
  JSON.parse((await space.run(["search", "--json", ...args])).stdout) as Found

describe("search with guessed names", () => {
  test("finds first what the names describe, although the question has other words", async () => {
    expect(pathsOf(await called({ query: QUERY }))[0]).not.toBe(RIGHT)
    expect(pathsOf(await called({ query: QUERY, names: NAMES }))[0]).toBe(RIGHT)
  })

  test("gives the same order for a list, for one string, and on the command line", async () => {
    const ofList = pathsOf(await called({ query: QUERY, names: NAMES }))
    expect(pathsOf(await called({ query: QUERY, names: NAMES.join(" ") }))).toEqual(ofList)
    expect(pathsOf(await called({ query: QUERY, keywords: NAMES }))).toEqual(ofList)
    expect(pathsOf(await typed("--names", NAMES.join(" "), QUERY))).toEqual(ofList)
    expect(
      pathsOf(await typed("--names", "bounce blocklist", "--names", "suppressEmail unsubscribed", QUERY)),
    ).toEqual(ofList)
  })

  test.each([
    ["one", ["bounce", "blocklist", "suppressEmail", "backoff"]],
    ["two", ["bounce", "suppressEmail", "backoff", "pastry"]],
    ["half", ["blocklist", "suppressEmail", "backoff", "attempt"]],
  ])("still finds it with %s wrong", async (_, names) => {
    expect(pathsOf(await called({ query: QUERY, names }))[0]).toBe(RIGHT)
  })

  test("answers the question alone if no name occurs, and says so", async () => {
    const { results, notices } = await called({ query: QUERY, names: ["zorblax", "quuxly"] })
    expect(results.map(({ path }) => path)).toEqual(pathsOf(await called({ query: QUERY })))
    expect(notices).toContain("nothing contains zorblax, quuxly: guess other names")
  })

  test("needs no question, and ignores blank names", async () => {
    expect(pathsOf(await called({ names: NAMES }))[0]).toBe(RIGHT)
    expect(pathsOf(await typed("--names", NAMES.join(" ")))[0]).toBe(RIGHT)
    const blank = await called({ query: QUERY, names: [" ", ""] })
    const { results, notices } = await called({ query: QUERY })
    expect([blank.results, blank.notices]).toEqual([results, notices])
  })

  test("works by words alone and by meaning alone", async () => {
    for (const mode of ["keyword", "semantic"])
      expect(pathsOf(await called({ query: QUERY, names: NAMES, mode }))[0]).toBe(RIGHT)
  })

  test("explains the share of the question, and why a file is not higher", async () => {
    const { results } = (await called({ query: QUERY, names: NAMES, explain: true })) as unknown as {
      readonly results: readonly {
        readonly explanation: { readonly features: readonly { name: string }[] }
      }[]
    }
    const features = results.flatMap(({ explanation }) => explanation.features.map(({ name }) => name))
    expect(features).toContain("names:asked")
    const { content } = await server.call("search", {
      query: QUERY,
      names: NAMES,
      why_not: "people/write.ts",
    })
    expect(content[0]!.text).toContain("people/write.ts: ")
  })

  test("says that names have no effect on an exact search", async () => {
    const { notices } = await called({ query: "backoff", names: NAMES, mode: "exact" })
    expect(notices).toContain("names had no effect: mode exact searches text only")
  })
})

describe("context with guessed names", () => {
  test("shows first what the names describe, over MCP and on the command line", async () => {
    const { structuredContent } = await server.call("context", { query: QUERY, names: NAMES })
    expect(structuredContent.files[0].path).toBe(RIGHT)
    expect(structuredContent.files[0].snippets[0].text).toContain("suppressEmail")
    const { stdout } = await space.run(["context", "--json", "--names", NAMES.join(" "), QUERY])
    expect(JSON.parse(stdout).files[0].path).toBe(RIGHT)
  })

  test("needs no task", async () => {
    const { structuredContent } = await server.call("context", { names: NAMES })
    expect(structuredContent.files[0].path).toBe(RIGHT)
  })
})

describe("a question without names", () => {
  const hintsOf = async (args: object) =>
    (await called(args)).notices.filter((notice) => notice.startsWith("the code may use other words"))

  test("is answered with the words for which names would help, if the code has others", async () => {
    const query = "which customers asked never to hear from our shop anymore"
    const hint = "the code may use other words: ask again with names for customers, asked, never, hear"
    expect(await hintsOf({ query })).toEqual([hint])
    expect(await hintsOf({ query, names: NAMES })).toEqual([])
    expect(await hintsOf({ query, offset: 1 })).toEqual([])
    const { structuredContent } = await server.call("context", { query })
    expect(structuredContent.hints).toContain(hint)
  })

  test.each([["how is the backoff computed"], ["suppressEmail"], ["let people write to others"]])(
    "gets no hint if it has words of the code: %s",
    async (query) => {
      expect(await hintsOf({ query })).toEqual([])
    },
  )
})

test("names find files of other repositories, also in one without a word of the question", async () => {
  using space = new Remotes()
  const { [RIGHT]: right, ...others } = FILES
  const urls = [space.bare("mail", { [RIGHT]: right }), space.bare("people", others)]
  const env = { AMAN_REPOS_URLS: urls.join() }
  await space.json(["repos", "sync"], { env })
  await using served = await connect(space, { env })
  const paths = async (args: object) =>
    pathsOf((await served.call("search", { ...args, repository: "*" })).structuredContent)
  expect((await paths({ query: QUERY }))[0]).not.toBe(RIGHT)
  expect((await paths({ query: QUERY, names: NAMES }))[0]).toBe(RIGHT)
  const { structuredContent } = await served.call("context", { query: QUERY, names: NAMES, repository: "*" })
  expect(structuredContent.files[0].path).toBe(RIGHT)
})
