import { expect, test } from "bun:test"
import { utimesSync } from "node:fs"
import { join } from "node:path"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

// The time that npm archives and reproducible builds give to all of their files.
const STAMP = new Date("1985-10-26T08:15:00Z")

function project(): Workspace {
  const space = new Workspace({ "package.json": "{}" })
  write(space, "one")
  return space
}

/** Writes a file of the same time and, for words of equal length, of the same size. */
function write(space: Workspace, word: string): void {
  space.write("lib.ts", `export function harbour_${word}() {}\n`)
  utimesSync(join(space.project, "lib.ts"), STAMP, STAMP)
}

/** A server that has become the leader and has finished its scan; the replaced file looks unchanged to it. */
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
  // The server's first scan may still be running.
  while (textOf(await search()) === undefined) await Bun.sleep(100)
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
  // A search waits for the leader to read the file, but sometimes not long enough.
  while (textOf(await search()) === undefined) await Bun.sleep(100)
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
  // This change has another size, so the server finds it once it watches the folder.
  write(space, "eleven")
  await finds("eleven")
  for (const word of ["twelve", "twenty", "thirty"]) {
    write(space, word)
    await finds(word)
  }
})
