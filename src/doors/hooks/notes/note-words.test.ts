import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import type { Entry } from "../../../memory/entries/entry.ts"
import { strengthByHolders } from "../../../memory/recall/match-entries.ts"
import { analyseTerms } from "../../../memory/recall/question.ts"
import { keepNoteWords, readNoteWords } from "./note-words.ts"

let dir: string
let former: string | undefined
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "aman-words-"))
  former = process.env["AMAN_DATA_DIR"]
  process.env["AMAN_DATA_DIR"] = dir
  writeFileSync(join(dir, "knowledge.db"), "a store")
})
afterEach(() => {
  if (former === undefined) delete process.env["AMAN_DATA_DIR"]
  else process.env["AMAN_DATA_DIR"] = former
  rmSync(dir, { recursive: true, force: true })
})

type Noted = Pick<Entry, "id" | "text" | "topic" | "tags" | "source">
const noted = (text: string, i: number): Noted => ({
  id: String(i),
  text,
  topic: "general",
  tags: [],
  source: null,
})

test("keeps words, names and files of notes until the store changes", () => {
  const source = { path: "src/a.ts", symbol: "Shop.open" } as Entry["source"]
  keepNoteWords("/p", [
    { ...noted("Retries of `sendMail` stop", 1), source },
    noted("It stops, see mail.ts.", 2),
  ])
  const words = readNoteWords("/p")!
  const holders = ["stop", "retri", "other"].map((term) => Array.from(words.holders(term)))
  expect([words.entries, holders]).toEqual([2, [[0, 1], [0], []]])
  expect(["sendMail", "send_mail", "Mailer.sendMail", "open", "close"].map(words.hasName)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ])
  expect(["src/a.ts", "src/b.ts", "lib/mail.ts"].map(words.hasFile)).toEqual([true, false, true])
  expect(readNoteWords("/q")).toBeNull()
  writeFileSync(join(dir, "knowledge.db"), "another store")
  expect(readNoteWords("/p")).toBeNull()
})

test("ignores a truncated or damaged file of note words", () => {
  keepNoteWords(null, [noted("a note", 1)])
  const [name] = [...new Bun.Glob("hooks/words/*").scanSync(dir)]
  for (const broken of ["", "{}\n", '{"stamp":']) {
    writeFileSync(join(dir, name!), broken)
    expect(readNoteWords(null)).toBeNull()
  }
})

test("is not begun again for the same notes after a process ended while it was written", () => {
  keepNoteWords(null, [noted("a note", 1)])
  const [name] = [...new Bun.Glob("hooks/words/*").scanSync(dir)]
  const path = join(dir, name!)
  const { stamp } = JSON.parse(readFileSync(path).toString("latin1").split("\n", 1)[0]!)
  writeFileSync(path, `${JSON.stringify({ stamp, isBegun: true })}\n`)
  keepNoteWords(null, [noted("a note", 1)])
  expect(readNoteWords(null)).toBeNull()
  writeFileSync(join(dir, "knowledge.db"), "more notes")
  keepNoteWords(null, [noted("a note", 1)])
  expect(readNoteWords(null)).not.toBeNull()
})

test("computes the same match strength as from the notes themselves", () => {
  const word = fc.constantFrom(
    ..."retry webhook lock transaction queue parser cache port token stop five getUserById".split(" "),
    ..."(queue), `lock_timeout` v2.1 src/cache.ts: Größe Parser’s 数据库连接".split(" "),
  )
  const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), text, (texts, prompt) => {
      const notes = texts.map(noted)
      keepNoteWords("/p", notes)
      const held = notes.map(({ text, topic }) => analyseTerms(`${text}\n${topic}`))
      const holders = (term: string) =>
        held.flatMap(({ inOrder, besides }, at) =>
          inOrder.includes(term) || besides.includes(term) ? [at] : [],
        )
      const strength = strengthByHolders(prompt, { entries: notes.length, holders })
      expect(strengthByHolders(prompt, readNoteWords("/p")!)).toBeCloseTo(strength, 9)
    }),
    { numRuns: 60 },
  )
})
