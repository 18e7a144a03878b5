import { expect, test } from "bun:test"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { GitBox } from "../git-repository.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

test("accepts or explains the usual mistakes of models", async () => {
  using space = new Workspace()
  await using server = await connect(space)
  const answerOf = async (name: string, args: object) => (await server.call(name, args)).content[0]!.text
  await server.call("remember", {
    text: "Billing belongs to Ines",
    kind: "decision",
    tags: "owners, billing",
  })
  await server.call("remember", { text: "Billing runs at night" })

  const ofKind = await server.call("recall", { query: "billing", kind: "decision" })
  expect(ofKind.structuredContent.results).toMatchObject([{ kind: "decision", tags: ["billing", "owner"] }])
  const listed = await server.call("knowledge", { action: "list", kind: "decision" })
  expect(listed.structuredContent.total).toBe(1)

  const early = await answerOf("recall", { query: "billing", asOf: "2020-01-01" })
  expect(early).toBe("Nothing is remembered about billing.")
  expect(await answerOf("recall", { query: "billing", asOff: "2020-01-01" })).toContain('"asOff"')
  expect(await answerOf("recall", { query: "billing", kinds: "facts" })).toContain("kinds")
  expect(await answerOf("remember", { entries: [{ text: "a", validFrom: "2020-01-01" }] })).toContain(
    '"validFrom"',
  )
})

test("accepts an entry's key, this project's before a global one; a list in an error stays a list", async () => {
  using space = new Workspace({ "package.json": "{}" })
  const { id } = await space.json(["remember", "--key", "owner", "Billing belongs to Ines"])
  await space.json(["remember", "--key", "owner", "Billing belongs to Omar"])
  await space.json(["remember", "--global", "--key", "owner", "Everything belongs to Eve"])
  expect((await space.json(["memory", "get", "owner"])).entries).toMatchObject([{ id, key: "owner" }])
  expect((await space.run(["memory", "history", "owner"])).stdout).toContain("Ines")
  expect((await space.run(["memory", "delete", "owner"])).code).toBe(0)
  expect((await space.run(["memory", "restore", "owner"])).code).toBe(0)
  expect((await space.run(["memory", "get", "keeper"])).stderr).toStartWith("aman: no entry keeper")
  const { stderr } = await space.run(["remember", "--batch", "-"], { stdin: '{"text":null}\n{"x":1}\n' })
  expect(stderr).toStartWith(
    'aman: -: 2 lines cannot be read:\n  line 1: "text" is missing or empty\n  line 2:',
  )
})

test("removes only this project's entry by key, and accepts a key wherever an id is accepted", async () => {
  using space = new Workspace({ "package.json": "{}" })
  const ofAll = await space.json(["remember", "--global", "--key", "owner", "Everything belongs to Eve"])
  const isThere = async () => (await space.json(["memory", "get", ofAll.id])).entries[0].deleted_at === null
  for (const verb of ["delete", "purge"]) {
    // First in a project without entries, then in one with an entry.
    const { code, stderr } = await space.run(["memory", verb, "owner"])
    expect([code, await isThere()]).toEqual([1, true])
    expect(stderr).toStartWith("aman: no entry owner in this project\n")
    expect(stderr).toContain(ofAll.id)
    const { id } = await space.json(["remember", "--key", "owner", "Billing belongs to Ines"])
    expect((await space.run(["memory", verb, "owner"])).code).toBe(0)
    const own = await space.run(["memory", "get", id, "--json"])
    if (verb === "purge") expect(own.code).toBe(1)
    else {
      expect(JSON.parse(own.stdout).entries[0].deleted_at).not.toBeNull()
      expect((await space.run(["memory", "purge", id])).code).toBe(0)
    }
  }
  expect((await space.json(["memory", "get", "owner"])).entries).toMatchObject([{ id: ofAll.id }])

  await space.json(["remember", "--key", "old-port", "The port is 80"])
  const port = await space.json(["remember", "--key", "port", "--replaces", "old-port", "The port is 8080"])
  expect((await space.json(["memory", "get", "old-port"])).entries[0].superseded_by).toBe(port.id)
  await space.json(["remember", "--key", "host", "The host is alpha"])
  const next = await space.json(["remember", "--key", "next-host", "The host is beta"])
  await space.json(["memory", "invalidate", "host", "--reason", "moved", "--successor", "next-host"])
  expect((await space.json(["memory", "get", "host"])).entries[0].superseded_by).toBe(next.id)
  expect((await space.run(["memory", "timeline", "--around", "port"])).stdout).toContain("8080")
  const outside = { cwd: space.home }
  expect((await space.run(["memory", "delete", "owner"], outside)).code).toBe(0)
  expect(await isThere()).toBe(false)
})

test("entries of different projects do not conflict; a copy of a project is reported", async () => {
  using space = new Workspace()
  using git = new GitBox()
  const one = { cwd: git.repository("one", { "one.js": "1" }) }
  const two = { cwd: git.repository("two", { "two.js": "2" }) }
  await space.json(["remember", "The checkout uses Stripe"], one)
  await space.json(["remember", "The checkout uses Adyen"], two)
  const { results } = await space.json(["recall", "--scope", "all", "what does the checkout use"], two)
  const isMarked = (each: { outdated_by: string | null; updates: string[] }) =>
    each.outdated_by !== null || each.updates.length > 0
  expect([results.length, results.some(isMarked)]).toEqual([2, false])
  cpSync(one.cwd, join(git.box, "copy"), { recursive: true })
  const copy = await space.run(["recall", "checkout"], { cwd: join(git.box, "copy") })
  expect([copy.code, copy.stderr]).toEqual([
    1,
    expect.stringContaining('this folder looks like your project "one": the same first commit'),
  ])
})

test("returns an answer that fits for a long text", async () => {
  using space = new Workspace()
  await using server = await connect(space)
  const text = "a long story about payments. ".repeat(30_000)
  const first = await server.call("remember", { text, topic: "story" })
  const again = await server.call("remember", { text: `${text} the end`, topic: "story" })
  expect(again.structuredContent.similar[0].text.length).toBeLessThan(400)
  for (const action of ["list", "recent", "timeline", "history", "get", "entries"]) {
    const args = { action, id: first.structuredContent.id, topic: "story" }
    const { content, structuredContent } = await server.call("knowledge", args)
    expect(content[0]!.text.length).toBeLessThan(40_000)
    expect(content[0]!.text).toContain(action === "get" ? "continue with offset" : "raise max_tokens")
    expect(JSON.stringify(structuredContent).length).toBeLessThan(60_000)
  }
  expect((await server.call("knowledge", { action: "export" })).content[0]!.text).toContain("set path")
})

test("gives the usage of an incomplete verb; an unknown kind is an error, not an empty answer", async () => {
  using space = new Workspace()
  expect((await space.run(["memory", "get"])).stderr).toContain("write: aman memory get IDS…")
  for (const args of [
    ["--kind", "fact"],
    ["--role", "assistant"],
  ]) {
    const { code, stderr } = await space.run(["recall", ...args, "x"])
    expect(code).toBe(2)
    expect(stderr).toContain("must be one of")
  }
})

test("names a folder in place of the memory file instead of reporting a broken disk", async () => {
  using space = new Workspace()
  const data = join(space.dir, "data")
  mkdirSync(join(data, "knowledge.db"), { recursive: true })
  const { code, stderr } = await space.run(["remember", "x"], { env: { AMAN_DATA_DIR: data } })
  expect(code).toBe(3)
  expect(stderr).toContain("knowledge.db is a folder, but should be a regular file")
})

test("errors for an ended entry, a wrong date and an unknown project name the next step", async () => {
  using space = new Workspace()
  const at = "2031-01-01"
  await space.json(["remember", "--valid-until", at, "--", "The licence is paid"])
  expect((await space.run(["memory", "list"])).stdout).toContain(`(valid until ${at})`)
  const wrong = await space.run(["memory", "list", "--after", "soon"])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('after: "soon" is not a date') })
  const unknown = await space.run(["memory", "link", "nosuch"])
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("see: aman memory projects"),
  })
})

test("refuses a credential in any change of a memory, and accepts it with force", async () => {
  using space = new Workspace({ "package.json": "{}" })
  const secret = ["gh", "p_", "Zk3vQ9xT1mB7nL5pW2rY8cD4fG6hJ0sAeU12"].join("")
  const { id } = await space.json(["remember", "--", "The bank answers at noon"])
  const batch = JSON.stringify({ text: "x", relations: [{ from: "Bank", type: "uses", to: secret }] })
  const changes: readonly (readonly string[])[] = [
    ["memory", "tag", id, "--tag", secret],
    ["memory", "relate", "Bank", "uses", secret],
    ["memory", "entity", "Bank", "--description", `has ${secret}`],
    ["memory", "append", id, secret],
    ["memory", "revise", id, secret],
    ["memory", "rename", "general", secret],
    ["remember", "--batch", "-"],
  ]
  for (const words of changes) {
    const { code, stderr } = await space.run([...words], { stdin: batch })
    expect([words, code, stderr]).toEqual([words, 3, expect.stringContaining("looks like a GitHub token")])
  }
  const known = await space.run(["memory", "export"])
  expect(known.stdout).not.toContain(secret)
  const hidden = await space.run([
    ...["memory", "entity", "Bank", "--description", `has <private>${secret}</private>`],
  ])
  expect(hidden.code).toBe(0)
  for (const words of changes) expect((await space.run([...words, "--force"], { stdin: batch })).code).toBe(0)
})

test("tells an agent how to store a credential, which then works", async () => {
  using space = new Workspace({ "package.json": "{}" })
  await using server = await connect(space)
  const secret = ["gh", "p_", "Zk3vQ9xT1mB7nL5pW2rY8cD4fG6hJ0sAeU12"].join("")
  const { id } = (await server.call("remember", { text: "The bank answers at noon" })).structuredContent
  const append = { action: "append", id, text: secret }
  const refused = await server.call("knowledge", append)
  expect(refused.isError).toBe(true)
  expect(refused.content[0]!.text).toContain("store it anyway with force: true")
  const taken = await server.call("knowledge", { ...append, force: true })
  expect(taken.structuredContent.entries[0].text).toContain(secret)
})

test("lists and restores deleted entries; history covers all fields", async () => {
  using space = new Workspace({ "package.json": "{}" })
  const entry = await space.json(["remember", "--topic", "release", "--", "Releases are cut on Tuesdays"])
  const { id } = entry
  await space.json(["remember", "--", "This one stays"])
  await space.json(["memory", "delete", "--topic", "release"])
  const texts = async (flags: string[]) =>
    (await space.json(["memory", "list", ...flags])).entries.map(({ text }: { text: string }) => text)
  expect(await texts([])).toEqual(["This one stays"])
  expect(await texts(["--deleted"])).toEqual(["Releases are cut on Tuesdays"])
  await space.json(["memory", "restore", id])
  expect((await space.run(["memory", "list", "--deleted"])).code).toBe(1)
  await space.json(["memory", "revise", id, "--topic", "shipping", "--tag", "day"])
  const [, ...steps] = (await space.run(["memory", "history", id])).stdout.trim().split("\n\n")
  expect(steps.map((step) => step.replace(/^\S+ /, ""))).toEqual([
    "deleted",
    "restored",
    "revised (topic: shipping; tags: day)",
  ])
})
