import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { Workspace } from "./harness.ts"
import { indexedOnce } from "./opened.ts"

/** Text on which the grammar fails, longer than any error node that is not worth a notice. */
const BROKEN = "lostName(] := = }{ (((\n".repeat(60)

const space = indexedOnce({
  "calls.ts":
    "export interface Register {\n  // with a handler\n  <P extends string, R = unknown>(handler: (path: P) => R): Result<P>\n\n  // with a path\n  <P extends string, R = unknown>(path: P, handler: (path: P) => R): Result<P>\n}\n\nexport type Result<P> = { path: P }\n\nexport abstract class Events {\n  abstract listen(): void\n}\n",
  "calls.tsx":
    "export interface Show {\n  <P extends string>(path: P): Shown<P>\n  <P extends object>(path: P, of: P): Shown<P>\n}\nexport type Shown<P> = { path: P }\nexport function Page() {\n  return (\n    <Frame>\n      <Row />\n    </Frame>\n  )\n}\n",
  "store.go": "package shop\n\nfunc Open() {}\n\nfunc Close() {}\n",
  "broken.go": `package shop\n\nfunc First() { Open() }\n\n${BROKEN}`,
})

test.each([
  ["Result", "calls.ts:9"],
  ["Events", "calls.ts:11"],
  ["Events.listen", "calls.ts:12"],
  ["Shown", "calls.tsx:5"],
])("%s is defined after generic call signatures without semicolons", async (name, place) => {
  const { definitions } = await space().json(["symbol", name])
  expect(
    definitions.map((each: { path: string; start_line: number }) => `${each.path}:${each.start_line}`),
  ).toEqual([place])
})

test("a file on which the grammar fails is named where it contains the name", async () => {
  const noticesOf = async (name: string) => {
    const { stdout } = await space().run(["symbol", name, "--references", "--json"])
    return JSON.parse(stdout).notices
  }
  expect((await noticesOf("Open")).join()).toContain(
    "broken.go: the grammar fails on a part of it, so definitions and uses there may be missing",
  )
  expect((await noticesOf("Close")).join()).not.toContain("broken.go")
  expect((await noticesOf("Events")).join()).not.toContain("broken.go")
})

test("a name without a definition that such a file contains is said to be there", async () => {
  const { stderr, code } = await space().run(["symbol", "lostName", "--references"])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("broken.go contains the name, but the grammar fails"),
  ])
})

test("a file that could not be read for the index is named where it may matter", async () => {
  using project = new Workspace({ "open.ts": "export function open() {}\n", "lost.bin": "open lost \0\n" })
  await project.json(["index"])
  // No input is known that makes the parser fail, so the record of a skipped file is changed to say that it did.
  const index = new Database(join(project.project, ".aman", "index.db"))
  index.run("UPDATE skipped SET reason = 'parser failed' WHERE path = 'lost.bin'")
  index.close()
  const lost = "lost.bin could not be read for the index, so definitions and uses there are missing"
  const { stdout } = await project.run(["symbol", "open", "--references", "--json"])
  expect(JSON.parse(stdout).notices).toEqual([lost])
  const { stderr } = await project.run(["symbol", "lost"])
  expect(stderr).toContain(lost)
})
