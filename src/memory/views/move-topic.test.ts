import { expect, test } from "bun:test"
import { Knowledge } from "../knowledge.ts"
import { mergeTopics, renameTopic } from "./move-topic.ts"

function known() {
  const knowledge = new Knowledge({ path: ":memory:", now: () => Date.UTC(2024, 0, 1) })
  knowledge.remember([
    { text: "Tokens live for an hour.", topic: "auth" },
    { text: "Keys rotate.", topic: "Auth" },
    { text: "The page is blue.", topic: "web" },
  ])
  return knowledge
}

const topicsOf = (knowledge: Knowledge) => knowledge.list().entries.map(({ topic }) => topic)

test("a topic is renamed in all its entries, and their history shows it", () => {
  using knowledge = known()
  expect(renameTopic(knowledge, undefined, "AUTH", "Login")).toEqual({
    from: "AUTH",
    into: "Login",
    entries: 2,
  })
  expect(topicsOf(knowledge)).toEqual(["Login", "Login", "web"])
  const [first] = knowledge.list({ topic: "login" }).entries
  expect(knowledge.history(first!.id).at(-1)!.event.change).toMatchObject({
    type: "revised",
    reason: "topic auth became Login",
  })
})

test("a topic can be renamed to another casing of its own name", () => {
  using knowledge = known()
  renameTopic(knowledge, undefined, "auth", "AUTH")
  expect(topicsOf(knowledge)).toEqual(["AUTH", "AUTH", "web"])
})

test("a taken name is refused with a hint to merge; merging uses the spelling of the target topic", () => {
  using knowledge = known()
  expect(() => renameTopic(knowledge, undefined, "auth", "Web")).toThrow("already exists")
  mergeTopics(knowledge, undefined, "auth", "WEB")
  expect(topicsOf(knowledge)).toEqual(["web", "web", "web"])
})

test("an unknown topic, the topic itself, an empty name and a credential are refused", () => {
  using knowledge = known()
  expect(() => renameTopic(knowledge, undefined, "nothing", "x")).toThrow('unknown topic "nothing"')
  expect(() => mergeTopics(knowledge, undefined, "auth", "nothing")).toThrow('unknown topic "nothing"')
  expect(() => mergeTopics(knowledge, undefined, "auth", "auth")).toThrow("cannot be merged into itself")
  expect(() => renameTopic(knowledge, undefined, "auth", " ")).toThrow("needs a name")
  expect(() => renameTopic(knowledge, ["elsewhere"], "auth", "x")).toThrow("unknown topic")
  const secret = ["gh", "p_", "Zk3vQ9xT1mB7nL5pW2rY8cD4fG6hJ0sAeU12"].join("")
  expect(() => renameTopic(knowledge, undefined, "auth", secret)).toThrow(
    "the topic looks like a GitHub token",
  )
  expect(renameTopic(knowledge, undefined, "auth", `own <private>${secret}</private>`).into).toBe("own")
  expect(renameTopic(knowledge, undefined, "own", secret, { force: true }).into).toBe(secret)
})
