import { expect, test } from "bun:test"
import { utimesSync } from "node:fs"
import { join } from "node:path"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

// What archives of npm and of reproducible builds give to all of their files.
const STAMP = new Date("1985-10-26T08:15:00Z")

function project(): Workspace {
  const space = new Workspace({ "package.json": "{}" })
  write(space, "one")
  return space
}

/** As long as the last one, and of the same time. */
function write(space: Workspace, word: string): void {
  space.write("lib.ts", `export function harbour_${word}() {}\n`)
  utimesSync(join(space.project, "lib.ts"), STAMP, STAMP)
}

/** A server to which the file looks as it did. */
async function leader(space: Workspace): Promise<Connection> {
  const server = await connect(space)
  const status = async () => (await server.call("status")).structuredContent
  while ((await status()).leader !== "this process") await Bun.sleep(50)
  return server
}

const textOf = (answer: { readonly results: readonly { readonly text: string }[] }) => answer.results[0]?.text

test("a search reads a file again that was replaced by one of the same size and time", async () => {
  using space = project()
  expect(textOf(await space.json(["search", "harbour"]))).toContain("harbour_one")
  write(space, "two")
  const answer = await space.json(["search", "harbour"])
  expect([textOf(answer), answer.notices]).toEqual([expect.stringContaining("harbour_two"), []])
})

test("a server reads a file that was replaced before the server started", async () => {
  using space = project()
  await space.json(["index"])
  write(space, "two")
  await using server = await connect(space)
  const search = async () => (await server.call("search", { query: "harbour" })).structuredContent
  // The first look at everything may be under way still.
  for (let asked = 0; asked < 3 && textOf(await search()) === undefined; asked++) await Bun.sleep(100)
  const answer = await search()
  expect([textOf(answer), answer.notices ?? []]).toEqual([expect.stringContaining("harbour_two"), []])
})

test("the leader reindexes files that a follower's search found stale", async () => {
  using space = project()
  await space.json(["index"])
  write(space, "two")
  await using _leading = await leader(space)
  const answer = await space.json(["search", "harbour"])
  expect([textOf(answer), answer.notices]).toEqual([expect.stringContaining("harbour_two"), []])
})

test("a server that is a follower has such a file read, too", async () => {
  using space = project()
  await space.json(["index"])
  write(space, "two")
  await using _leading = await leader(space)
  await using server = await connect(space)
  const search = async () => (await server.call("search", { query: "harbour" })).structuredContent
  // The leader's look is waited for, and at times not long enough.
  for (let asked = 0; asked < 5 && textOf(await search()) === undefined; asked++) await Bun.sleep(100)
  const answer = await search()
  expect([textOf(answer), answer.notices ?? []]).toEqual([expect.stringContaining("harbour_two"), []])
})

test("a server reads changed files whatever their size and time", async () => {
  using space = project()
  await using server = await connect(space)
  const search = async () => (await server.call("search", { query: "harbour" })).structuredContent
  const finds = async (word: string) => {
    while (!textOf(await search())?.includes(`harbour_${word}`)) await Bun.sleep(50)
  }
  await finds("one")
  // Found by its size, once the folder is watched.
  write(space, "eleven")
  await finds("eleven")
  for (const word of ["twelve", "twenty", "thirty"]) {
    write(space, word)
    await finds(word)
  }
})
