import { expect, test } from "bun:test"
import { PLAIN_DOCUMENT } from "../../../test/recall-document.ts"
import type { Embedder } from "../../index/embed/port.ts"
import type { RecallDocument } from "./index/analyse.ts"
import { RecallIndex, type RecallOptions } from "./index/recall-index.ts"
import { type TermName, WEIGHTS, type Weights } from "./scores.ts"

// One case for each ranking term. With the term alone, the right entry comes before its rival; with all
// weights at 0 it comes after it. So a term without effect fails its test.

type Case = {
  readonly question: string
  /** The entry that must come first. */
  readonly right: Partial<RecallDocument> & { readonly text: string }
  readonly others: readonly (Partial<RecallDocument> & { readonly text: string })[]
  readonly options?: Partial<RecallOptions>
  /** Id of the entry to compare with the right one; "other0" where absent. */
  readonly rival?: string
}

const said = (session: string, ordinal: number, text: string, fields: Partial<RecallDocument> = {}) => ({
  text,
  session,
  ordinal,
  ...fields,
})

/** Scores of the graph channel for two entries that share no word with the question. */
const BOTH = () =>
  new Map([
    ["right", 1],
    ["other0", 0.5],
  ])

const CASES: Readonly<Record<TermName, Case>> = {
  passage: {
    question: "copper kettle",
    right: { text: "A copper kettle." },
    others: [{ text: "A copper plate." }],
  },
  window: {
    question: "when was the copper kettle repaired?",
    right: said("a", 2, "It cost me two evenings, that repair of the kettle."),
    others: [
      said("a", 1, "You said the copper was thin."),
      said("b", 1, "I like tea at five."),
      said("b", 2, "It cost me two evenings, that repair of the kettle."),
    ],
    rival: "other2",
  },
  answer: {
    question: "where did you find the copper kettle?",
    right: said("a", 2, "In Lisbon, of all places."),
    others: [
      said("a", 1, "Where did you find the copper kettle?", { author: "Ann" }),
      said("b", 1, "The kettle is gone.", { author: "Ann" }),
    ],
  },
  session: {
    question: "copper kettle repair",
    right: said("a", 9, "The kettle leaks."),
    others: [
      said("a", 1, "My copper kettle needs a repair."),
      ...[2, 3, 4, 5, 6, 7, 8].map((ordinal) => said("a", ordinal, "Nothing new here today.")),
      said("b", 1, "The kettle leaks."),
    ],
    rival: "other8",
  },
  author: {
    question: "what does Ann think of the kettle?",
    right: { text: "The kettle is too heavy.", author: "Ann" },
    others: [{ text: "The kettle is too heavy.", author: "Bob" }],
  },
  cosine: {
    question: "repainting",
    right: { text: "overpainted, unpainted and repaintable" },
    others: [{ text: "the kettle is heavy" }],
    options: { near: BOTH },
  },
  proximity: {
    question: "copper kettle",
    right: { text: "Of all that stood in the room I took the copper kettle." },
    others: [{ text: "Of all the copper that stood in the room I took no kettle." }],
  },
  grams: {
    question: "a kettle of postgresql",
    right: { text: "postgres is a kettle" },
    others: [{ text: "big ben is a kettle" }],
  },
  date: {
    question: "when did the kettle break?",
    right: { text: "The kettle broke yesterday." },
    others: [{ text: "The kettle broke entirely." }],
  },
  recorded: {
    question: "what did Ann say of the kettle in March 2024?",
    right: { text: "The kettle leaks.", recordedAt: "2024-03-05T10:00:00.000Z" },
    others: [{ text: "The kettle leaks.", recordedAt: "2024-07-05T10:00:00.000Z" }],
  },
  number: {
    question: "how many kettles are there?",
    right: { text: "There are seven kettles." },
    others: [{ text: "There are enough kettles." }],
  },
  length: {
    question: "kettle",
    right: said("a", 2, "The kettle is on the upper shelf in the kitchen beside the window."),
    others: [said("a", 1, "The kettle.")],
  },
  asking: {
    question: "kettle",
    right: { text: "The kettle leaks." },
    others: [{ text: "The kettle leaks?" }],
  },
  self: {
    question: "who plays the piano?",
    right: { text: "At home I play the piano." },
    others: [{ text: "At home he play the piano." }],
  },
  topic: {
    question: "kitchen kettle",
    right: { text: "The kettle leaks.", topic: "kitchen" },
    others: [{ text: "The kettle leaks.", topic: "garden" }],
  },
  tags: {
    question: "kitchen kettle",
    right: { text: "The kettle leaks.", tags: ["kitchen"] },
    others: [{ text: "The kettle leaks.", tags: ["garden"] }],
  },
  near: {
    question: "kettle",
    right: { text: "Ann repairs things." },
    others: [{ text: "Bob repairs nothing." }],
    options: { near: BOTH },
  },
}

test.each(Object.entries(CASES))(
  "%s alone moves the right entry up",
  async (name, { question, right, others, options, rival = "other0" }) => {
    const only = { ...zero(), [name]: WEIGHTS[name as TermName] }
    const entries = [...others.map((each, i) => entry(`other${i}`, each)), entry("right", right)]
    const order = async (weights: Weights) => {
      const ids = await found(weights, entries, question, options)
      return ids.filter((id) => id === "right" || id === rival)
    }
    expect(await order(only)).toEqual(["right", rival])
    expect(await order(zero())).toEqual([rival, "right"])
  },
)

test("ranks a person's entry above an agent's, unless the question asks what the agent said", async () => {
  const entries = [
    entry("0", { text: "The kettle is copper.", role: "agent" }),
    entry("1", { text: "The kettle is copper.", role: "person" }),
  ]
  expect((await found(WEIGHTS, entries, "what is the kettle made of?"))[0]).toBe("1")
  expect((await found(WEIGHTS, entries, "what did you say the kettle is made of?"))[0]).toBe("0")
  const alone = entries.map((each) => ({ ...each, role: null }))
  expect((await found(WEIGHTS, alone, "what is the kettle made of?"))[0]).toBe("0")
})

test("a machine's sentence that answers better comes before a person's, its long text does not", async () => {
  const brief = "The kettle and its lid are copper."
  const long = `${brief} ${"Then there is more to say of other things. ".repeat(20)}`
  const order = (text: string) =>
    found(
      WEIGHTS,
      [
        entry("0", {
          text: "A kettle with a lid stands beside the pan of copper, and both are old.",
          role: "person",
        }),
        entry("1", { text, role: "agent" }),
      ],
      "are kettle and lid copper?",
    )
  expect(await order(brief)).toEqual(["1", "0"])
  expect(await order(long)).toEqual(["0", "1"])
})

test("ranks an agent's question below a person's entry, however short the question is", async () => {
  const entries = [
    entry("0", { text: "Is the staging database password rotated by Omar?", role: "agent" }),
    entry("1", {
      text: "Nobody has automated it yet: the password of the staging database is changed on the first Monday of each month, and now that Omar has left us for another team it is Ines who does it by hand",
      role: "person",
    }),
  ].map((each, ordinal) => ({ ...each, session: "talk", ordinal }))
  expect(await found(WEIGHTS, entries, "who rotates the staging database password?")).toEqual(["1", "0"])
})

test("ranks an entry of the own project above an equally good one of another", async () => {
  const entries = [
    entry("0", { text: "Use tabs.", project: "p" }),
    entry("1", { text: "Use tabs.", project: "q" }),
  ]
  expect((await found(WEIGHTS, entries, "tabs", { project: "q" }))[0]).toBe("1")
  expect((await found(WEIGHTS, entries, "tabs", { project: "p" }))[0]).toBe("0")
})

test("computes scores relative to the best accepted entry when a filter excludes others", async () => {
  const entries = [
    entry("0", { text: "kettle kettle kettle", topic: "a" }),
    entry("1", { text: "a kettle among many other things", topic: "b" }),
  ]
  const index = await indexOf(entries)
  const { hits } = await index.search("kettle", { limit: 5, accept: ({ topic }) => topic === "b" })
  expect(hits.map(({ document }) => document.id)).toEqual(["1"])
  const passage = hits[0]!.terms.find(({ name }) => name === "passage")!
  const alone = await (await indexOf([entries[1]!])).search("kettle", { limit: 5 })
  expect(passage.value).toBeCloseTo(alone.hits[0]!.terms.find(({ name }) => name === "passage")!.value, 10)
  expect(
    (await index.search("kettle", { limit: 5, accept: ({ id }) => id === "0" })).hits.map(
      ({ document }) => document.id,
    ),
  ).toEqual(["0"])
})

async function found(
  weights: Weights,
  entries: readonly RecallDocument[],
  question: string,
  options: Partial<RecallOptions> = {},
): Promise<string[]> {
  const index = await indexOf(entries, weights)
  return (await index.search(question, { limit: 10, ...options })).hits.map(({ document }) => document.id)
}

async function indexOf(
  entries: readonly RecallDocument[],
  weights: Weights = WEIGHTS,
  embedder?: Embedder,
): Promise<RecallIndex> {
  const index = new RecallIndex(embedder, weights)
  await index.upsert(entries)
  return index
}

function zero(): Weights {
  return Object.fromEntries(Object.keys(WEIGHTS).map((name) => [name, 0])) as Weights
}

function entry(id: string, fields: Partial<RecallDocument> & { readonly text: string }): RecallDocument {
  return {
    id,
    ...PLAIN_DOCUMENT,
    ...fields,
  }
}
