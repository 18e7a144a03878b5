import { expect, test } from "bun:test"
import sources from "./knowledge/sources.json" with { type: "json" }
import { KINDS, readNotes, readQuestions, readWorkdayNotes, readWorkdayQuestions } from "./knowledge-data.ts"

const notes = readNotes()
const questions = readQuestions()

test("has enough notes of enough projects, each with a source", () => {
  expect(notes.length).toBeGreaterThanOrEqual(300)
  expect(new Set(notes.map(({ ref }) => ref)).size).toBe(notes.length)
  const topics = [...new Set(notes.map(({ topic }) => topic))]
  expect(topics.length).toBeGreaterThanOrEqual(12)
  expect(topics.filter((topic) => !(topic in sources))).toEqual([])
  for (const { recorded_at } of notes) expect(Date.parse(recorded_at)).not.toBeNaN()
})

test("questions of each kind refer to existing notes, and none quotes its answer", () => {
  expect(questions.length).toBeGreaterThanOrEqual(100)
  const refs = new Set(notes.map(({ ref }) => ref))
  for (const { question, kind, answers, older = [] } of questions) {
    expect(KINDS).toContain(kind)
    expect([...answers, ...older].filter((ref) => !refs.has(ref))).toEqual([])
    expect(answers.length === 0).toBe(kind === "negative")
    expect(notes.filter(({ text }) => text.toLowerCase().includes(question.toLowerCase()))).toEqual([])
  }
})

test("superseded notes are older than current ones", () => {
  const at = new Map(notes.map(({ ref, recorded_at }) => [ref, recorded_at]))
  const wrong = questions.flatMap(({ answers, older = [] }) =>
    older.filter((ref) => at.get(ref)! >= at.get(answers[0]!)!),
  )
  expect(wrong).toEqual([])
})

test("every workday note has one question in one of the splits, and no question is in both", () => {
  const splits = [readWorkdayQuestions("develop"), readWorkdayQuestions("closed")] as const
  const asked = splits.flatMap((some) => some.flatMap(({ answers }) => answers))
  expect(asked.sort()).toEqual(
    readWorkdayNotes()
      .map(({ ref }) => ref)
      .sort(),
  )
  const texts = splits.map((some) => new Set(some.map(({ question }) => question)))
  expect(texts[0]!.intersection(texts[1]!).size).toBe(0)
  for (const some of splits) expect(some.filter(({ answers }) => answers.length === 0).length).toBe(20)
})
