import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Role } from "../../../src/memory/index.ts"
import type { JudgedSplit } from "./symbols/judged.ts"

/** A note in the format of `aman remember --batch`, and the name by which questions refer to it. */
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
  /** Names of the notes that answer the question; empty if no note does. */
  readonly answers: readonly string[]
  /** Names of the notes that held before the answer did. */
  readonly older?: readonly string[]
  /** An ISO date. */
  readonly as_of?: string
}

const FOLDER = join(import.meta.dir, "knowledge")
const QUESTIONS = "questions.jsonl"

/** All notes, oldest first, as people would have written them; sources.json says where they are from. */
export function readNotes(): readonly Note[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl") && name !== QUESTIONS)
  const notes = files.sort().flatMap((name) => readLines<Note>(name))
  return notes.sort((a, b) => (a.recorded_at < b.recorded_at ? -1 : a.recorded_at > b.recorded_at ? 1 : 0))
}

export function readQuestions(): readonly Question[] {
  return readLines<Question>(QUESTIONS)
}

/** Notes of a software team's working days, oldest first, written by hand. */
export function readWorkdayNotes(): readonly Note[] {
  return readLines<Note>("../workday/notes.jsonl")
}

/** Questions about these notes in other words than theirs, and questions that none of them answers. */
export function readWorkdayQuestions(split: JudgedSplit): readonly Question[] {
  return readLines<Question>(`../workday/questions-${split === "closed" ? "closed" : "open"}.jsonl`)
}

/** The notes as lines for --batch. */
export function batchLines(notes: readonly Note[]): string {
  return notes.map(({ ref: _, ...line }) => `${JSON.stringify(line)}\n`).join("")
}

function readLines<T>(name: string): T[] {
  const lines = readFileSync(join(FOLDER, name), "utf8").split("\n")
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T)
}

/**
 * Makes `count` notes that are the same in every run: after the first ones, each joins the texts of two notes
 * and adds a word of its own.
 */
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
