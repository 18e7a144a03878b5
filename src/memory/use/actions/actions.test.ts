import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ACTIONS, type ActionName, AGENT_ACTIONS, toCall } from "./actions.ts"

test("every action has a handler in the file that it loads, and every handler is an action", async () => {
  const names = Object.keys(ACTIONS) as ActionName[]
  const handlers = new Set<string>()
  for (const load of new Set(names.map((name) => ACTIONS[name].load)))
    for (const name of Object.keys((await load()).handlers)) handlers.add(name)
  expect([...handlers].sort()).toEqual([...names].sort())
  for (const name of names) expect((await ACTIONS[name].load()).handlers).toHaveProperty([name])
})

test("the description of the MCP tool names every action available to agents and no other", () => {
  const description = readFileSync(join(import.meta.dir, "../../../doors/mcp/tools/knowledge.md"), "utf8")
  const isNamed = (name: string) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(description)
  expect(AGENT_ACTIONS.filter((name) => !isNamed(name))).toEqual([])
  const others = Object.keys(ACTIONS).filter((name) => !(AGENT_ACTIONS as readonly string[]).includes(name))
  expect(others.map((name) => [name, description.includes(`${name}(`)])).toEqual(
    others.map((name) => [name, false]),
  )
})

test("toCall accepts id for ids and ids for id", () => {
  expect(toCall({ action: "get", id: "a" })).toMatchObject({ ids: ["a"] })
  expect(toCall({ action: "history", ids: ["a"] })).toMatchObject({ id: "a" })
})

test("toCall names the missing arguments: positional ones, listed ones and alternatives", () => {
  expect(() => toCall({ action: "relate", from: "a" })).toThrow("relate needs type and to")
  expect(() => toCall({ action: "tag", ids: ["a"], tags: [] })).toThrow("tag needs tags")
  expect(() => toCall({ action: "delete" })).toThrow("delete needs ids or topic")
  expect(() => toCall({ action: "revise", id: "" })).toThrow("revise needs id")
  expect(toCall({ action: "recent" })).toEqual({ action: "recent" } as never)
})
