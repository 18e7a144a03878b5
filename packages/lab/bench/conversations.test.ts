import { expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { generatedSet, publicSets, timeOf } from "./conversations.ts"

test("generates 40 conversations with more than 2,000 questions, each answered by notes, the same in every run", () => {
  const { conversations } = generatedSet()
  expect(conversations).toHaveLength(40)
  expect(conversations.flatMap(({ questions }) => questions).length).toBeGreaterThan(2000)
  for (const { notes, questions } of conversations) {
    const refs = new Set(notes.map(({ ref }) => ref))
    for (const { answers } of questions) expect(answers.filter((ref) => !refs.has(ref))).toEqual([])
  }
  expect(generatedSet()).toEqual(generatedSet())
})

test("reads the public sets that a folder holds", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-sets-"))
  const write = (path: string, content: object) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify(content))
  }
  const turn = { speaker: "Ann", dia_id: "D1:1", text: "I play padel.", blip_caption: "a racket" }
  const qa = [
    { question: "Which sports?", evidence: ["D1:01"] },
    { question: "Which cars?", evidence: [] },
  ]
  const conversation = { session_1: [turn], session_1_date_time: "1:56 pm on 8 May, 2023" }
  write("locomo/locomo10.json", [{ qa, conversation }])
  write("realtalk/a.json", {
    qa,
    session_1: [{ ...turn, clean_text: "Padel!", date_time: "29.12.2023, 22:42:04" }],
  })
  const message = (id: number, role: string) => ({
    id,
    role,
    content: `said ${id} ->-> 1`,
    time_anchor: "March-15-2024",
  })
  write("beam/100K/1/chat.json", [
    { batch_number: 1, turns: [[message(1, "user"), message(2, "assistant")]] },
  ])
  const asked = { question: "What now?", source_chat_ids: { original_info: [7], updated_info: [1] } }
  write("beam/100K/1/q.json", { knowledge_update: [asked] })
  const [locomo, realtalk, beam] = publicSets(folder).map(({ conversations }) => conversations[0]!)
  rmSync(folder, { recursive: true })
  expect(locomo).toMatchObject({
    notes: [
      { ref: "D1:1", text: "I play padel. [picture: a racket]", recorded_at: "2023-05-08T13:56:00.000Z" },
    ],
    questions: [{ question: "Which sports?", answers: ["D1:1"] }],
  })
  expect(realtalk!.notes[0]).toMatchObject({ recorded_at: "2023-12-29T22:42:04.000Z" })
  expect(beam!.notes.map(({ ref, text }) => [ref, text])).toEqual([["1", "said 1"]])
  expect(beam!.questions[0]).toMatchObject({ kind: "updated", answers: ["1"] })
  expect(publicSets(join(folder, "none"))).toEqual([])
})

test("reads the forms of times in these sets", () => {
  expect(timeOf("12:05 am on 1 June, 2023")).toBe("2023-06-01T00:05:00.000Z")
  expect(timeOf("March-15-2024")).toBe("2024-03-15T00:00:00.000Z")
  expect(timeOf("2024-03-15T10:00:00Z")).toBe("2024-03-15T10:00:00.000Z")
})
