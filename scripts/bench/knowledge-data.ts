import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Role } from "../../src/memory/entries/entry.ts"

/** A note as `aman remember --batch` takes it, and the name that questions call it by. */
export type Note = {
  readonly ref: string
  readonly text: string
  readonly topic: string
  readonly tags?: readonly string[]
  readonly entities: readonly string[]
  /** An ISO date or instant. */
  readonly recorded_at: string
  readonly valid_from?: string
  readonly author?: string
  readonly role?: Role
  readonly session?: string
  readonly ordinal?: number
}

export const KINDS = [
  "paraphrase",
  "temporal",
  "as of",
  "hop",
  "updated",
  "contradiction",
  "different",
  "negative",
] as const
export type QuestionKind = (typeof KINDS)[number]

export type Question = {
  readonly question: string
  readonly kind: QuestionKind
  /** Notes that answer; none: nothing here does. */
  readonly answers: readonly string[]
  /** What held before the answer. */
  readonly older?: readonly string[]
  /** An ISO date. */
  readonly as_of?: string
}

const FOLDER = join(import.meta.dir, "knowledge")
const QUESTIONS = "questions.jsonl"

/** In the order of time, as they would have been written down; sources.json says where they are from. */
export function readNotes(): readonly Note[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl") && name !== QUESTIONS)
  const notes = files.sort().flatMap((name) => readLines<Note>(name))
  return notes.sort((a, b) => (a.recorded_at < b.recorded_at ? -1 : a.recorded_at > b.recorded_at ? 1 : 0))
}

export function readQuestions(): readonly Question[] {
  return readLines<Question>(QUESTIONS)
}

/** Lines for --batch. */
export function batchLines(notes: readonly Note[]): string {
  return notes.map(({ ref: _, ...line }) => `${JSON.stringify(line)}\n`).join("")
}

function readLines<T>(name: string): T[] {
  const lines = readFileSync(join(FOLDER, name), "utf8").split("\n")
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T)
}

/** As many as wanted: two notes' sentences in one, and a word of its own in each; the same on every run. */
export function manyNotes(notes: readonly Note[], count: number): readonly Note[] {
  return Array.from({ length: count }, (_, i) => {
    const note = notes[i % notes.length]!
    const other = notes[(i * 7919 + Math.floor(i / notes.length)) % notes.length]!
    const { session: _session, ordinal: _ordinal, ...rest } = note
    const said =
      i % SPOKEN_EVERY === 0
        ? { session: `talk-${Math.floor(i / 80)}`, ordinal: i, role: "person" as const }
        : {}
    const text =
      i < notes.length ? note.text : `${note.text} ${other.text} Ticket ${i.toString(36)}x${(i * 31) % 977}.`
    return {
      ...rest,
      ...said,
      ref: `${note.ref}/${i}`,
      text,
      entities: [...note.entities, ...other.entities],
    }
  })
}

const SPOKEN_EVERY = 4
