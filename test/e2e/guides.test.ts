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

test.each(QUESTIONS)("help %s shows %s first, and further sections", async (question, title) => {
  using space = new Workspace()
  const { stdout, code } = await space.run(["help", ...question.split(" ")])
  expect(stdout.split("\n")[0]).toBe(title)
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

test("help says that the guides have nothing about unknown words", async () => {
  using space = new Workspace()
  const { stdout, stderr, code } = await space.run(["help", "zzqqxy"])
  expect([stdout, code]).toEqual(["", 1])
  expect(stderr).toContain('the guides have nothing about "zzqqxy"')
})
