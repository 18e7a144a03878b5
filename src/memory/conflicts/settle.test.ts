import { describe, expect, setDefaultTimeout, test } from "bun:test"
import fc from "fast-check"
import { noteOf, readAll, readPairs, tallyPairs } from "../../../test/truth-pairs.ts"
import type { Entry } from "../entries/entry.ts"
import { type OddsOf, Readings, readTogether } from "./readings.ts"
import { type EntryHit, type MarkedHit, settle, settleRead, withoutReplaced } from "./settle.ts"

// A busy machine takes 100 ms for a pair.
setDefaultTimeout(60_000)

const NOW = { at: "2025-01-01T00:00:00.000Z", odds: readAll }
const JAN = "2024-01-10T12:00:00.000Z"
const JUNE = "2024-06-10T12:00:00.000Z"

const ids = (settled: readonly MarkedHit<EntryHit>[]) => settled.map(({ hit }) => hit.entry.id)
const markOf = (settled: readonly MarkedHit<EntryHit>[], id: string) =>
  settled.find(({ hit }) => hit.entry.id === id)!.mark

/** Shares of labelled pairs: the least of updates and the most of look-alikes that are marked. */
const [MARKED, MISTAKEN] = [0.6, 0.06]

function ranked(...entries: EntryHit["entry"][]): EntryHit[] {
  return entries.map((entry, at) => ({ entry, score: 1 - at / 20 }))
}

const PORTS = ranked(
  noteOf("old", "The API server listens on port 8080.", JAN),
  noteOf("other", "The mail worker listens on port 2525.", JAN),
  noteOf("new", "The API server now listens on port 9090.", JUNE),
)

test("the newer of two conflicting statements is ranked just above the older, and both are marked", () => {
  const settled = settle("which port does the api server use", PORTS, NOW)
  expect(ids(settled)).toEqual(["new", "old", "other"])
  expect(markOf(settled, "old")).toMatchObject({ outdatedBy: "new", isDeclared: false })
  expect(markOf(settled, "new").updates).toEqual(["old"])
  expect(markOf(settled, "other")).toMatchObject({ outdatedBy: null, updates: [], contradicts: [] })
})

test("quoted flags, messages and names neither deny nor replace anything", () => {
  const entries = ranked(
    noteOf("a", "ResetAuthor amends with --reset-author; --no-edit keeps the message.", JAN),
    noteOf("b", "editors.go handles text input in popups: promptEditor and commitMessageEditor.", JUNE),
  )
  for (const { mark } of settle("how is the head commit's message changed", entries, NOW)) {
    expect(mark).toMatchObject({ outdatedBy: null, contradicts: [] })
  }
})

test("a denial about another part of the same thing is no contradiction", () => {
  const entries = ranked(
    noteOf("a", "Exit status 128 on the first fetch of a new repo shows a popup.", JAN),
    noteOf("b", "The timer is thrown away, so the first fetch isn't delayed.", JAN),
  )
  for (const { mark } of settle("what happens at the first fetch", entries, NOW))
    expect(mark.contradicts).toEqual([])
})

test.each([
  "which port did the api server use before",
  "qué puerto usaba antes el servidor de la API",
  "какой порт был раньше у api server",
  "welchen Port hatte der API server früher",
  "以前のapi serverのポートは何でしたか",
  "之前api server的端口是什么",
])("marks hits for a question about the past but keeps their order: %s", (question) => {
  const settled = settle(question, PORTS, NOW)
  expect(ids(settled)).toEqual(["old", "other", "new"])
  expect(markOf(settled, "old").outdatedBy).toBe("new")
})

test("a declared supersession ranks the entry below its successor, whatever the words are", () => {
  const old = noteOf("old", "Bread is baked at noon.", JAN, { supersededBy: "new", supersededAt: JUNE })
  const settled = settle("cats", ranked(old, noteOf("new", "Cats sleep.", JUNE)), NOW)
  expect(ids(settled)).toEqual(["new", "old"])
  expect(markOf(settled, "old")).toMatchObject({ outdatedBy: "new", isDeclared: true })
  const then = settle("cats", ranked(old, noteOf("new", "Cats sleep.", JUNE)), {
    ...NOW,
    at: "2024-03-01T00:00:00Z",
  })
  expect(markOf(then, "old")).toMatchObject({ outdatedBy: null, isDeclared: false })
})

test("names a declared successor that is not among the hits", () => {
  const old = noteOf("old", "Bread is baked at noon.", JAN, { supersededBy: "gone", supersededAt: JUNE })
  expect(markOf(settle("bread", ranked(old), NOW), "old").outdatedBy).toBe("gone")
})

test("ranks the newest of three conflicting statements first", () => {
  const settled = settle(
    "timeout of the gateway",
    ranked(
      noteOf("a", "The gateway's timeout is 30 seconds.", JAN),
      noteOf("b", "The gateway's timeout was raised to 45 seconds.", "2024-03-01T00:00:00.000Z"),
      noteOf("c", "The gateway's timeout was raised to 60 seconds.", JUNE),
    ),
    NOW,
  )
  expect(ids(settled)[0]).toBe("c")
  expect(markOf(settled, "a").outdatedBy).toBe("c")
})

test("the newest note of a chain names all that are left out, and has the best chance of them", () => {
  const hits = ranked(
    noteOf("first", "The API gateway timeout is 30 seconds.", "2024-01-10T12:00:00.000Z"),
    noteOf("second", "The API gateway timeout is now 45 seconds.", "2024-03-10T12:00:00.000Z"),
    noteOf("third", "We raised the timeout of the API gateway; it is now 60 seconds.", JUNE),
  )
  const odds: OddsOf = (a, b) => (a.id === "first" && b.id === "third" ? null : readAll(a, b))
  const settled = settle("what is the API gateway timeout", hits, { ...NOW, odds })
  const [shown, ...others] = withoutReplaced(
    settled.map(({ hit, mark }) => ({ hit: { ...hit, chance: hit.entry.id === "first" ? 0.9 : 0.3 }, mark })),
  )
  expect(others).toEqual([])
  expect(shown).toMatchObject({
    hit: { entry: { id: "third" }, chance: 0.9 },
    mark: { replaces: ["second", "first"] },
  })
})

test.each<{ validFrom: string; shown: string[] }>([
  { validFrom: "2024-12-01T00:00:00.000Z", shown: ["new"] },
  { validFrom: "2025-06-01T00:00:00.000Z", shown: ["new", "old"] },
])(
  "a note that holds from $validFrom leaves the older one out only when that time has come",
  ({ validFrom, shown }) => {
    const hits = ranked(
      noteOf("new", "The gateway timeout is 60 seconds.", JUNE, { validFrom }),
      noteOf("old", "The gateway timeout is 30 seconds.", JAN),
    )
    const settled = settle("what is the gateway timeout", hits, NOW)
    const left = withoutReplaced(settled.map(({ hit, mark }) => ({ hit: { ...hit, chance: 0 }, mark })))
    expect(ids(left)).toEqual(shown)
  },
)

test("the start of validity decides which statement is newer, not the time of recording", () => {
  const settled = settle(
    "which port does the api server use",
    ranked(
      noteOf("late", "The API server listens on port 8080.", JUNE, { validFrom: "2022-01-01" }),
      noteOf("early", "The API server now listens on port 9090.", JAN, { validFrom: "2023-01-01" }),
    ),
    NOW,
  )
  expect(markOf(settled, "late").outdatedBy).toBe("early")
})

test("treats neither of two statements from the same time as newer", () => {
  const settled = settle(
    "which port does the api server use",
    ranked(
      noteOf("a", "The API server listens on port 8080.", JAN),
      noteOf("b", "The API server now listens on port 9090.", JAN),
    ),
    NOW,
  )
  expect(ids(settled)).toEqual(["a", "b"])
})

test("a newer denial comes first, and outdates what it denies", () => {
  const settled = settle(
    "does the client retry on timeouts",
    ranked(
      noteOf("yes", "The client retries twice on timeouts.", JAN),
      noteOf("no", "The client never retries on timeouts.", JUNE),
    ),
    NOW,
  )
  expect(ids(settled)).toEqual(["no", "yes"])
  expect(markOf(settled, "yes")).toMatchObject({ outdatedBy: "no", contradicts: [] })
})

test("does not let an agent's statement supersede a person's", () => {
  const [old, , fresh] = PORTS.map(({ entry }) => entry)
  const hits = ranked({ ...old!, role: "person" }, { ...fresh!, role: "agent" })
  expect(markOf(settle("which port does the api server use", hits, NOW), "old").outdatedBy).toBeNull()
})

/** Whether of two notes the older one carries a mark. */
function isMarked(query: string, a: readonly [string, Partial<EntryHit["entry"]>?], b: typeof a): boolean {
  const [older, newer] = [noteOf("older", a[0], JAN, a[1]), noteOf("newer", b[0], JUNE, b[1])]
  const { outdatedBy, contradicts } = markOf(settle(query, ranked(older, newer), NOW), "older")
  return outdatedBy !== null || contradicts.length > 0
}

test("different labels mean different subjects, within a topic", () => {
  const said = (label: string, topic = "general") => ({ entities: [label], topic })
  const query = "what is the redirect timeout"
  const [old, fresh] = ["The redirect timeout is 30 seconds.", "The redirect timeout is 60 seconds now."]
  expect(isMarked(query, [old, said("redirect")], [fresh, said("Redirect")])).toBe(true)
  expect(isMarked(query, [old, said("redirect")], [fresh, said("routing")])).toBe(false)
  expect(isMarked(query, [old, said("redirect", "flask")], [fresh, said("redirect", "django")])).toBe(false)
})

test("notes of one topic do not conflict over the topic's name; a postponed date does", () => {
  const topic = { topic: "release" }
  const slipped = ["The next release slipped to March 18.", topic] as const
  expect(isMarked("release", ["8.2 drops Python 3.7, 3.8 and 3.9.", topic], slipped)).toBe(false)
  const query = "when is the next release"
  expect(isMarked(query, ["The next release is planned for March 4.", topic], slipped)).toBe(true)
})

test("statements of two people about themselves do not conflict", () => {
  const [ana, ben] = [{ author: "Ana" }, { author: "Ben" }]
  const query = "who has been to the animal shelter"
  expect(
    isMarked(
      query,
      ["I have been to the animal shelter.", ana],
      ["I have never been to the animal shelter.", ana],
    ),
  ).toBe(true)
  expect(
    isMarked(
      query,
      ["I have been to the animal shelter.", ana],
      ["I have never been to the animal shelter.", ben],
    ),
  ).toBe(false)
})

test("a place is not a person: statements of two people about it conflict", () => {
  const query = "where do we deploy"
  const [ana, ben] = [{ author: "Ana" }, { author: "Ben" }]
  for (const place of ["us-east-1", "the US region"])
    expect(isMarked(query, [`We deploy to ${place}.`, ana], [`We do not deploy to ${place}.`, ben])).toBe(
      true,
    )
})

test.each([
  [
    "what did you see at the beach",
    "We often go to the beach with the kids.",
    "I can't wait to go to the beach with the kids.",
  ],
  ["what games do you play", "I have been playing video games.", "I would love to play more video games."],
  ["what was closed on 8 May", "The gate was closed early.", "The gate was closed early."],
])("idioms, degrees and repeated words deny nothing: %s", (query, older, newer) => {
  expect(isMarked(query, [older], [newer])).toBe(false)
})

test("of labelled pairs in ten languages most updates are marked, and few look-alikes", () => {
  const tallies = tallyPairs(readPairs("languages-open"))
  const share = (label: "updated" | "different") => tallies.get(label)!.marked / tallies.get(label)!.pairs
  expect(share("updated")).toBeGreaterThanOrEqual(MARKED)
  expect(share("different")).toBeLessThanOrEqual(MISTAKEN)
})

test("a reading is stored with the texts that were read, and is not used for others", async () => {
  const [old, , fresh] = PORTS.map(({ entry }) => entry)
  const read = async () => [Math.PI]
  const pairs = await readTogether(fresh!, [old!], { known: () => null, read })
  const readings = new Readings(pairs)
  expect(readings.odds(old!, fresh!)).toBe(3.14)
  expect(readings.odds(fresh!, old!)).toBeNull()
  expect(readings.conflicts).toEqual(pairs)
  // What is known is not read again.
  expect(await readTogether(fresh!, [old!], { known: readings.odds, read })).toEqual([])
})

test("any texts give the same hits, with marks that name only hits of the answer", () => {
  const words = fc.constantFrom(
    ..."the api port 8080 9090 now not never moved from $5 yesterday Anna's v1.2 ? . I ``` é 港".split(" "),
  )
  const text = fc
    .array(fc.oneof(words, fc.string({ maxLength: 5 })), { maxLength: 14 })
    .map((parts) => parts.join(" "))
  const time = fc.integer({ min: 0, max: 3 }).map((n) => new Date(n * 86_400_000).toISOString())
  const hit = fc.record({ text, time, by: fc.option(fc.constantFrom("0", "1", "2")) })
  fc.assert(
    fc.property(text, fc.array(hit, { maxLength: 13 }), (query, found) => {
      const hits = ranked(
        ...found.map(({ text, time, by }, at) =>
          noteOf(String(at), text, time, { supersededBy: by, supersededAt: by === null ? null : time }),
        ),
      )
      const odds: OddsOf = (a, b) => ((a.text.length * 7 + b.text.length) % 11) - 4
      const settled = settle(query, hits, { ...NOW, odds })
      expect(ids(settled).sort()).toEqual(hits.map(({ entry }) => entry.id).sort())
      const known = new Set(["0", "1", "2", ...hits.map(({ entry }) => entry.id)])
      for (const { hit, mark } of settled) {
        for (const id of [...mark.updates, ...mark.contradicts, mark.outdatedBy ?? "0"])
          expect(known.has(id)).toBe(true)
        expect(mark.contradicts).not.toContain(hit.entry.id)
      }
    }),
    { numRuns: 150 },
  )
})

const OLD = noteOf("old", "The retry limit of the gateway is five attempts.", JAN)
const NEW = noteOf("new", "The retry limit of the gateway was raised to nine attempts.", JUNE)
const OTHER = noteOf("other", "The mail worker is written in Go.", JAN)

/** Ids in the order of the answer when the newer note has this share of the older one's score. */
function orderAt(share: number, question: string): string[] {
  const hits = [
    { entry: OLD, score: 0.5 },
    { entry: OTHER, score: 0.5 * (share + 0.01) },
    { entry: NEW, score: 0.5 * share },
  ]
  const settled = settle(question, hits, NOW)
  expect(settled.find(({ hit }) => hit.entry.id === "old")!.mark.outdatedBy).toBe("new")
  return settled.map(({ hit }) => hit.entry.id)
}

describe("an inferred update", () => {
  const now = "what is the retry limit of the gateway"

  test("moves the newer entry above the older one when the newer fits the question about as well", () => {
    expect(orderAt(0.9, now)).toEqual(["new", "old", "other"])
  })

  test("moves it also when the newer, without the question's words, fits far worse", () => {
    expect(orderAt(0.05, now)).toEqual(["new", "old", "other"])
  })

  test("comes from what was read when the question does not find the newer one", () => {
    const pair = (older: string, newer: string, odds: number) => ({ older, newer, odds })
    const conflicts = [pair("old", "new", 4), pair("new", "newest", 3.5), pair("other", "hidden", 4)]
    const readings = {
      of: (ids: readonly string[]) => ({
        conflicts: conflicts.filter(({ older, newer }) => ids.includes(older) || ids.includes(newer)),
        odds: (a: Entry, b: Entry) =>
          conflicts.find((each) => each.older === a.id && each.newer === b.id)?.odds ?? null,
      }),
    }
    const newest = noteOf("newest", "The gateway does not retry any more.", "2024-09-01T12:00:00.000Z")
    const hits = [OLD, OTHER].map((entry) => ({ entry, score: 1, chance: 1 }))
    const newerHit = (id: string) =>
      [NEW, newest]
        .filter((entry) => entry.id === id)
        .map((entry) => ({ entry, score: 0.4, chance: 0 }))[0] ?? null
    const settled = settleRead(now, hits, { ...NOW, readings, newerHit })
    expect(settled.map(({ hit }) => hit.entry.id)).toEqual(["newest", "new", "old", "other"])
    expect(withoutReplaced(settled).map(({ hit, mark }) => [hit.entry.id, mark.replaces, hit.score])).toEqual(
      [
        ["newest", ["new", "old"], 1],
        ["other", [], 1],
      ],
    )
    const past = settleRead("what was the retry limit at first", hits, { ...NOW, readings, newerHit })
    expect(past.map(({ hit }) => hit.entry.id)).toEqual(["old", "other"])
  })

  test("keeps the order when the question compares two moments", () => {
    expect(orderAt(0.9, "how much did the retry limit of the gateway increase")).toEqual([
      "old",
      "other",
      "new",
    ])
  })
})
