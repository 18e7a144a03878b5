import { expect, test } from "bun:test"
import { Workspace } from "./harness.ts"

const QUESTIONS = [
  ["how to exclude files from the index", "setting paths.exclude"],
  ["undo setup", "aman setup --remove"],
  ["what leaves the machine", "Privacy and security: What leaves the machine"],
  ["share memories with the team", "aman memory share [ON|OFF|IDS…]"],
  ["cursor", "aman setup cursor"],
  ["setup crusor", "aman setup cursor"],
] as const

test.each(QUESTIONS)("help %s shows %s among its sections", async (question, title) => {
  using space = new Workspace()
  const { stdout, code } = await space.run(["help", ...question.split(" ")])
  expect(stdout).toContain(title)
  expect(stdout).toContain("See also")
  expect(code).toBe(0)
})

test("help as JSON has at most the given number of sections, with their whole text", async () => {
  using space = new Workspace()
  const { query, results } = await space.json(["help", "-n", "2", "proxy"])
  expect(query).toBe("proxy")
  expect(results).toHaveLength(2)
  expect(results[0].text).toMatch(/proxy/iu)
})

test("help with the name of a command shows the command's help, with a verb the verb's", async () => {
  using space = new Workspace()
  const ofCommand = await space.run(["help", "search"])
  expect(ofCommand.stdout).toBe((await space.run(["search", "--help"])).stdout)
  const ofVerb = await space.run(["help", "memory", "list"])
  expect(ofVerb.stdout).toBe((await space.run(["memory", "list", "--help"])).stdout)
  expect((await space.run(["help"])).stdout).toBe((await space.run(["--help"])).stdout)
})

test("flags of every command may stand before it", async () => {
  using space = new Workspace({ "a.ts": "export const answer = 42\n" })
  const elsewhere = { cwd: space.dir }
  const before = await space.run(["--root", space.project, "--json", "search", "answer"], elsewhere)
  expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('"path":"a.ts"') })
  const joined = await space.run([`--root=${space.project}`, "read", "a.ts"], elsewhere)
  expect(joined.stdout).toContain("answer = 42")
  const unknown = await space.run(["--limit", "3", "search", "answer"], elsewhere)
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("no command before --limit") })
})

test("--help names the ten everyday commands, help --all every command", async () => {
  using space = new Workspace()
  const named = (text: string) => [...text.matchAll(/^ {2}([a-z]+) {2,}/gmu)].map(([, name]) => name!)
  const everyday = named((await space.run(["--help"])).stdout)
  expect(everyday).toHaveLength(10)
  const all = named((await space.run(["help", "--all"])).stdout)
  expect(all).toEqual(expect.arrayContaining([...everyday, "serve", "hook", "completions"]))
})

test("help says that the guides have nothing about unknown words", async () => {
  using space = new Workspace()
  const { stdout, stderr, code } = await space.run(["help", "zzqqxy"])
  expect([stdout, code]).toEqual(["", 1])
  expect(stderr).toContain('the guides have nothing about "zzqqxy"')
})
