import { expect, test } from "bun:test"
import type { Entry } from "../../../memory/index.ts"
import { entriesForPrompt, type Recalled } from "./prompt-entries.ts"
import { promptNames } from "./prompt-names.ts"

const note = (id: string, text: string) => ({ id, text, topic: "general", tags: [], source: null })
const OTHERS = Array.from({ length: 30 }, (_, i) =>
  note(`n${i}`, `Deploys of service ${i} wait for the night.`),
)
const KNOWN = ["userService"]
const named = (prompt: string) => promptNames(prompt, (name) => KNOWN.includes(name))
/** Notes as `recall` returns them, none of which probably answers the prompt, so that only a name finds one. */
const recalled = (notes: readonly ReturnType<typeof note>[]) =>
  ({
    hits: notes.map((entry) => ({ hit: { entry, chance: 0 }, mark: { replaces: [] } })),
    confidence: 0,
  }) as unknown as Recalled
const asked = (prompt: string, ...notes: ReturnType<typeof note>[]) =>
  entriesForPrompt(recalled([...OTHERS, ...notes]), named(prompt)).map(({ hit }) => hit.entry.id)

test("finds the note that replaces one with a code name of the prompt", () => {
  const old = note("old", "`userService` keeps sessions for a day.") as unknown as Entry
  const all = recalled([...OTHERS, note("new", "Sessions are kept for an hour.")])
  const hits = all.hits.map((each) =>
    each.hit.entry.id === "new" ? { ...each, mark: { ...each.mark, replaces: ["old"] } } : each,
  )
  const found = entriesForPrompt({ ...all, hits } as Recalled, named("rework userService"), () => [old])
  expect(found.map(({ hit }) => hit.entry.id)).toEqual(["new"])
})

test.each([
  ["is NO_COLOR respected?", "NO_COLOR is honoured, whatever it is set to."],
  ["please rename `honour`", "honour() reads what the terminal can."],
  ["rework userService", "The userService keeps sessions."],
  ["where is `login` called", "Shop.login asks twice."],
  ["where is `Shop.login` called", "`Shop.login` asks twice."],
])(
  "%s: finds the note that mentions a code name of the prompt, though they share no other words",
  (prompt, text) => {
    expect(asked(prompt, note("said", text))).toEqual(["said"])
  },
)

test.each([
  ["is the colour respected?", "The colour comes from the terminal."],
  ["there is a typo in `README.md`", "`CHANGELOG.md` is written by hand; `README.md` too."],
  ["upgrade Node.js to the newest", "Express.js stays at four, Node.js at twenty."],
  ["open the GitHub PR", "We mirror the GitHub issues on Sundays."],
  ["what does `git status` say", "The `status` of a parcel is never null."],
  ["do `bun run build` first", "The `build` field holds a number."],
  ["change `next.config.js`", "Express.js is set up in `express.config.js`."],
  ["which file(s) changed", "`file` is opened lazily."],
  ["call `Web.login` twice", "Shop.login asks twice."],
])("%s: does not find the note: %s", (prompt, text) => {
  expect(asked(prompt, note("said", text))).toEqual([])
})

test("finds nothing for a name in many notes", () => {
  const many = [1, 2, 3, 4, 5].map((i) => note(`m${i}`, `userService keeps thing ${i}.`))
  expect(asked("rework userService", ...many)).toEqual([])
})

test("shows up to three of the likely notes in their order, and none if the best one is unlikely", () => {
  const hits = [0.5, 0.1, 0.3, 0.4, 0.5].map((chance, i) => ({
    hit: { entry: note(`${i}`, "Deploys wait."), chance },
  }))
  const shown = (confidence: number) =>
    entriesForPrompt({ hits, confidence } as unknown as Recalled, []).map(({ hit }) => hit.entry.id)
  expect(shown(0.5)).toEqual(["0", "2"])
  expect(shown(0.3)).toEqual([])
})
