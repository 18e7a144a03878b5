import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { hasPostgres } from "../postgres.ts"
import { connect } from "./connect.ts"
import { type Answer, TeamSpace } from "./team-space.ts"

const LIBRARY = {
  "src/retry.ts": [
    "/** Retries with a pause. */",
    "export function createRetry(times: number): number {",
    "  return pauseOf(times)",
    "}",
    "function pauseOf(times: number): number {",
    "  return times * 2",
    "}",
    "export function both(): number {",
    "  return createRetry(1) + createRetry(2)",
    "}",
    "",
  ].join("\n"),
}
const APPLICATION = {
  "main.ts": [
    'import { createRetry } from "@team/retry"',
    "export function start(): void {",
    "  console.log(createRetry(3))",
    "}",
    "",
  ].join("\n"),
}
const SECRET = { "vault.ts": "export function createRetry(): string {\n  return 'vault'\n}\ncreateRetry()\n" }

describe.skipIf(!hasPostgres)("symbols of a team's repositories", () => {
  let team: TeamSpace
  let names: Record<"application" | "library" | "secret", string>
  let ada: string

  beforeAll(async () => {
    team = await TeamSpace.start()
    names = await team.add({ application: APPLICATION, library: LIBRARY, secret: SECRET })
    ada = await team.token("ada", "application", "library")
    await team.serve()
    const login = await team.space.run(["team", "login", team.url], { stdin: ada })
    expect(login.code).toBe(0)
  }, 60_000)
  afterAll(() => team?.[Symbol.asyncDispose]())

  const symbol = (...args: readonly string[]) => team.space.json(["symbol", ...args])

  test("a definition names its repository, and nothing of one that may not be read", async () => {
    const found = await symbol("createRetry", "--team", "*")
    expect(found.definitions).toEqual([
      expect.objectContaining({ repository: `team:${names.library}`, path: "src/retry.ts", start_line: 2 }),
    ])
    expect(JSON.stringify(found)).not.toContain("vault")
    const shown = await team.space.run(["symbol", "createRetry", "--team", "library"])
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringContaining(`team:${names.library} src/retry.ts:2`),
    ])
    expect(shown.stdout).toContain("Retries with a pause.")
  })

  test("references are resolved where the name is defined, and found by name in the others", async () => {
    const found = await symbol("createRetry", "--references", "--team", "*")
    expect(found.references.map(({ repository, line }: Answer) => [repository, line])).toEqual([
      [`team:${names.library}`, 9],
    ])
    expect(
      found.unresolved.places.map(({ repository, path, line }: Answer) => [repository, path, line]),
    ).toEqual([
      [`team:${names.application}`, "main.ts", 1],
      [`team:${names.application}`, "main.ts", 3],
    ])
    expect(found.notices.join()).toContain(
      `${names.application} does not define the name and uses it in 2 places`,
    )
    expect(JSON.stringify(found)).not.toContain("vault")
  })

  test("a node answers as a clone on this machine does, page by page", async () => {
    const local = { AMAN_REPOS_URLS: `${names.application},${names.library}` }
    expect((await team.space.run(["repos", "sync", "--quiet"], { env: local })).code).toBe(0)
    for (const args of [
      ["createRetry"],
      ["createRetry", "--callers"],
      ["both", "--callees", "--depth", "2"],
      ["createRetry", "--references", "-n", "1", "--offset", "1"],
    ]) {
      const here = await team.space.json(["symbol", ...args, "--repository", "*"], { env: local })
      const there = JSON.parse(JSON.stringify(await symbol(...args, "--team", "*")).replaceAll('"team:', '"'))
      expect({ ...there, took_ms: 0 }).toEqual({ ...here, took_ms: 0 })
    }
    const { related } = await symbol("pauseOf", "--impact", "--team", "library")
    expect(related[0]).toMatchObject({ repository: `team:${names.library}`, name: "createRetry" })
    const outline = await symbol("--outline", "main.ts", "--team", "application")
    expect(outline.outline.map(({ name }: Answer) => name)).toEqual(["start"])
  })

  test("says what is not possible there", async () => {
    const run = async (...args: readonly string[]) => {
      const { code, stderr } = await team.space.run(["symbol", ...args])
      return [code, stderr]
    }
    expect(await run("--unused", "--team", "*")).toEqual([2, expect.stringContaining("about one repository")])
    expect(await run("--diff", "--team", "library")).toEqual([2, expect.stringContaining("not known here")])
    expect(await run("createRetries", "--team", "*")).toEqual([
      1,
      expect.stringMatching(
        /no definition of "createRetries" in 2 repositories[\s\S]*did you mean createRetry/,
      ),
    ])
    const [code, stderr] = await run("createRetry", "--team", "secret")
    expect([code, stderr]).toEqual([1, expect.stringContaining("you can read no repository")])
  })

  test("agents ask with the same rights, through aman and through the node", async () => {
    await using client = await connect(team.space)
    const asked = { name: "createRetry", relation: "callers", repository: "team:*" }
    const { structuredContent, content } = await client.call("symbol", asked)
    expect(structuredContent.related[0]).toMatchObject({ repository: `team:${names.library}`, name: "both" })
    expect(content[0]!.text).toContain(`team:${names.library} src/retry.ts:8 function both`)
    const agent = new Client({ name: "test", version: "1" })
    const headers = { authorization: `Bearer ${ada}` }
    await agent.connect(
      new StreamableHTTPClientTransport(new URL(`${team.url}/mcp`), {
        requestInit: { headers },
      }) as Transport,
    )
    const direct = (await agent.callTool({ name: "symbol", arguments: { name: "createRetry" } })) as Answer
    expect(direct.content[0].text).toContain(`defined: ${names.library} src/retry.ts:2`)
    expect(direct.content[0].text).not.toContain("vault")
    await agent.close()
  })
})
