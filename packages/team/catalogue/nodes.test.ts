import { expect, test } from "bun:test"
import { holderOf } from "./nodes.ts"

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
