import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { GitBox, git } from "../git-repository.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import type { Answer } from "./team-space.ts"

const FILES = {
  "src/retry.ts": "export function limitRetries(times: number): number {\n  return times * 2\n}\n",
  "src/main.ts": 'import { limitRetries } from "./retry.ts"\nconsole.log(limitRetries(3))\n',
}

describe("the team's server is unreachable", () => {
  const box = new GitBox()
  const space = new Workspace()
  let checkout: string
  let name: string
  let stopped: Record<string, string>
  let hanging: Record<string, string>
  let silent: { readonly port: number; stop(force: boolean): void }

  beforeAll(() => {
    name = box.repository("shop", FILES)
    checkout = box.clone(name, "checkout")
    const gone = Bun.serve({ port: 0, fetch: () => new Response() })
    stopped = login(gone.port!)
    gone.stop(true)
    silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } })
    hanging = login(silent.port)
  })
  afterAll(() => {
    silent.stop(true)
    space[Symbol.dispose]()
    box[Symbol.dispose]()
  })

  const login = (port: number) => ({ AMAN_TEAM_URL: `http://127.0.0.1:${port}`, AMAN_TEAM_TOKEN: "x" })
  const notAsked = ({ AMAN_TEAM_URL }: Record<string, string>) =>
    expect.stringContaining(`the team was not asked: the team server ${AMAN_TEAM_URL} does not answer`)
  const noticesIn = (text: string) => text.split("the team was not asked").length - 1
  const run = (args: readonly string[], env: Record<string, string>, cwd = checkout) =>
    space.run(args, { env, cwd })
  const json = (args: readonly [string, ...string[]], env: Record<string, string>): Promise<Answer> =>
    space.json(args, { env, cwd: checkout })

  test("commands answer from the checkout, with one notice that names the server", async () => {
    for (const env of [stopped, hanging]) {
      const search = await json(["search", "--team", "*", "limitRetries"], env)
      expect(search.results.map(({ path }: Answer) => path).sort()).toEqual(Object.keys(FILES).sort())
      expect(search.notices).toEqual([notAsked(env)])
    }
    const env = stopped
    const two = await run(["search", "--team", "*", "-e", "limitRetries", "-e", "times"], env)
    expect([two.code, noticesIn(two.stderr)]).toEqual([0, 1])
    const symbol = await json(["symbol", "--team", "shop", "limitRetries", "--references"], env)
    expect(symbol.references).toContainEqual(expect.objectContaining({ path: "src/main.ts", line: 2 }))
    expect(symbol.notices).toContainEqual(notAsked(env))
    const context = await json(["context", "--team", "*", "--max-tokens", "500", "limitRetries"], env)
    expect(context.files[0].path).toBe("src/retry.ts")
    expect(context.hints[0]).toEqual(notAsked(env))
    expect(context.tokens).toBeLessThanOrEqual(500)
    const read = await run(["read", "--team", "shop", "src/retry.ts"], env)
    expect([read.code, read.stdout, read.stderr]).toEqual([0, FILES["src/retry.ts"], notAsked(env)])
    await space.run(["remember", "The shop opens at nine"], { env, cwd: checkout })
    const recall = await json(["recall", "--team", "*", "when does the shop open"], env)
    expect(recall.results[0].text).toBe("The shop opens at nine")
    expect(recall.notices).toContainEqual(notAsked(env))
  }, 120_000)

  test("the exit code is that of the local answer", async () => {
    const nothing = await run(["search", "--team", "*", "--mode", "keyword", "zzyzx"], stopped)
    expect([nothing.code, nothing.stderr]).toEqual([1, notAsked(stopped)])
    const unknown = await run(["symbol", "--team", "*", "zzyzx"], stopped)
    expect([unknown.code, unknown.stderr]).toEqual([1, notAsked(stopped)])
    const missing = await run(["read", "--team", "shop", "src/none.ts"], stopped)
    expect([missing.code, missing.stderr]).toEqual([1, notAsked(stopped)])
  })

  test("is an error without a project, and for a file of another repository", async () => {
    for (const command of ["search", "context", "symbol"]) {
      const { code, stderr } = await run([command, "--team", "*", "limitRetries"], stopped, space.home)
      expect([code, stderr]).toEqual([3, expect.stringContaining("does not answer")])
      expect(stderr).toContain("start aman inside one")
    }
    const other = await run(["read", "--team", "other/place", "src/retry.ts"], stopped)
    expect([other.code, other.stdout, other.stderr]).toEqual([
      3,
      "",
      expect.stringContaining("does not answer"),
    ])
    git(checkout, "remote", "remove", "origin")
    const unnamed = await run(["read", "--team", "shop", "src/retry.ts"], stopped)
    expect(unnamed.code).toBe(3)
    git(checkout, "remote", "add", "origin", name)
  })

  test("agents get the project's answer, and several queries wait for the server only once", async () => {
    await using waiting = await connect(space, { env: hanging, cwd: checkout })
    const repository = "team:*"
    const queries = ["limitRetries", "times", "number"]
    for (const mode of ["hybrid", "exact"]) {
      const { content, structuredContent } = await waiting.call("search", { queries, repository, mode })
      expect(structuredContent.answers.map(({ results }: Answer) => results[0].path)).toHaveLength(3)
      expect(structuredContent.answers[0].notices[0]).toEqual(notAsked(hanging))
      expect(noticesIn(content[0]!.text)).toBe(1)
    }
    await using client = await connect(space, { env: stopped, cwd: checkout })
    const symbol = await client.call("symbol", { name: "limitRetries", repository })
    expect(symbol.structuredContent.definitions[0].path).toBe("src/retry.ts")
    expect(symbol.structuredContent.notices).toContainEqual(notAsked(stopped))
    const context = await client.call("context", { query: "limitRetries", repository })
    expect(context.structuredContent.hints[0]).toEqual(notAsked(stopped))
    const read = await client.call("read", { path: "src/retry.ts", repository: "team:shop" })
    expect(read.structuredContent).toMatchObject({ path: "src/retry.ts", notices: [notAsked(stopped)] })
    const recall = await client.call("recall", { query: "when does the shop open", team: "*" })
    expect(recall.structuredContent.notices).toContainEqual(notAsked(stopped))
  }, 60_000)
})
