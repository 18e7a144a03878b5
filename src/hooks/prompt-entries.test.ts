import { expect, test } from "bun:test"
import { entriesForPrompt } from "./prompt-entries.ts"

const note = (id: string, text: string) => ({ id, text, topic: "general", tags: [], source: null })
const OTHERS = Array.from({ length: 30 }, (_, i) =>
  note(`n${i}`, `Deploys of service ${i} wait for the night.`),
)
const asked = (prompt: string, ...notes: ReturnType<typeof note>[]) =>
  entriesForPrompt(prompt, [...OTHERS, ...notes], 1).map(({ id }) => id)

test("a note that speaks of what the prompt names as code, though they share nothing else", () => {
  const color = note("color", "NO_COLOR is honoured, whatever it is set to.")
  expect(asked("is NO_COLOR respected?", color)).toEqual(["color"])
  expect(asked("please rename `honour`", note("h", "honour() reads what the terminal can."))).toEqual(["h"])
})

test("a plain word is no name, and a name that many notes bear tells nothing", () => {
  expect(asked("is the colour respected?", note("c", "The colour comes from the terminal."))).toEqual([])
  const many = [1, 2, 3, 4, 5].map((i) => note(`m${i}`, `userService keeps thing ${i}.`))
  expect(asked("rework userService", ...many)).toEqual([])
})
