import { expect, test } from "bun:test"
import { holderOf, makePass, readPass } from "./other-nodes.ts"

const key = Buffer.alloc(48, 7)
const ada = { id: "1", name: "ada" }
const pass = makePass(ada, "a question", key, 1_000)

test("names the principal while it is valid", () => {
  expect(readPass(pass, "a question", key, 2_000)).toEqual(ada)
})

test("is refused for another body, with another key, after a minute, and with other claims", () => {
  const [, mac] = pass.split(".")
  const claims = Buffer.from(JSON.stringify({ id: "2", name: "eve", until: 1e15 })).toString("base64url")
  expect(readPass(pass, "another question", key, 2_000)).toBeNull()
  expect(readPass(pass, "a question", Buffer.alloc(48, 8), 2_000)).toBeNull()
  expect(readPass(pass, "a question", key, 62_000)).toBeNull()
  expect(readPass(`${claims}.${mac}`, "a question", key, 2_000)).toBeNull()
  for (const text of ["", ".", "e30.AAAA", pass.slice(0, -1)])
    expect(readPass(text, "a question", key, 2_000)).toBeNull()
})

const nodes = ["a", "b", "c", "d"].map((id) => ({ id, name: id, url: `http://${id}` }))
const ids = Array.from({ length: 1000 }, (_, at) => String(at))

test("each of four nodes holds between a fifth and a third of 1,000 repositories", () => {
  for (const { id } of nodes) {
    const held = ids.filter((each) => holderOf(each, nodes)!.id === id).length
    expect(held).toBeGreaterThan(200)
    expect(held).toBeLessThan(334)
  }
})

test("only the repositories of a node that leaves get another one, in any order of the nodes", () => {
  const others = nodes.slice(1).reverse()
  for (const id of ids) {
    const before = holderOf(id, nodes)!.id
    const after = holderOf(id, others)!.id
    if (before !== "a") expect(after).toBe(before)
  }
  expect(holderOf("1", [])).toBeNull()
})
