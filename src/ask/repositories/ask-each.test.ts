import { expect, test } from "bun:test"
import type { GrepQuestion } from "../../search/index.ts"
import { askEach } from "./ask-each.ts"
import type { Repository } from "./configured.ts"
import { grepInTurn } from "./several.ts"

const question: GrepQuestion = {
  ...{ query: "x", mode: "regex", ignoreCase: false, wholeWord: false, context: 0, paths: [], languages: [] },
  ...{ limit: 20, offset: 0, tokens: 5000 },
}

test("starts no text search once its time is up, and says that the answer is not complete", async () => {
  const repository: Repository = {
    ...{ id: "1", name: "bank", url: "file:///bank", clone: "/bank", index: "/bank.index" },
    address: { kind: "path", path: "/bank", ref: null },
  } as never
  const open = () => {
    throw new Error("opened")
  }
  const caller = { client: {}, signal: undefined, budget: { leftMs: 0 } }
  const ask = async (part: GrepQuestion) =>
    (await askEach([repository], { kind: "grep", question: part }, { open, caller })).get("1")!
  const { complete, notices } = await grepInTurn(question, [{ name: "bank", ask }])
  expect(complete).toBe(false)
  expect(notices).toEqual(["bank was not asked: the time for the search was up; name fewer repositories"])
})
