import { Database } from "bun:sqlite"
import { isFunctionWord } from "../../../src/text/index.ts"
import type { Note } from "./knowledge-data.ts"
import { type Answered, type Engine, UNMARKED } from "./knowledge-score.ts"

const LIMIT = 10

type Found = Pick<Answered, "refs" | "confidence">

/** Ranks notes by the number of the question's words that they contain, like a search with ripgrep. */
export function wordCountEngine(notes: readonly Note[]): Engine {
  const texts = notes.map((note) => ({ ref: note.ref, text: searchable(note).toLowerCase() }))
  return timed("count of words (rg)", (question) => {
    const words = keywordsOf(question)
    const counted = texts.map(({ ref, text }) => ({
      ref,
      count: words.filter((word) => text.includes(word)).length,
    }))
    const found = counted.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)
    return {
      refs: found.slice(0, LIMIT).map(({ ref }) => ref),
      confidence: (found[0]?.count ?? 0) / words.length,
    }
  })
}

/** SQLite's own full-text search. Engram joins the words by AND. */
export function fts5Engine(notes: readonly Note[], operator: "AND" | "OR"): Engine {
  const database = new Database(":memory:")
  database.run("CREATE VIRTUAL TABLE notes USING fts5(ref UNINDEXED, topic, tags, entities, text)")
  const insert = database.query("INSERT INTO notes VALUES (?, ?, ?, ?, ?)")
  database.transaction(() => {
    for (const { ref, topic, tags = [], entities, text } of notes) {
      insert.run(ref, topic, tags.join(" "), entities.join(", "), text)
    }
  })()
  const select = database.query<{ ref: string; rank: number }, [string]>(
    `SELECT ref, rank FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ${LIMIT}`,
  )
  return timed(`FTS5, BM25, ${operator}`, (question) => {
    // AND gets all words, as in Engram; OR gets no stop words, which would find everything.
    const words = operator === "AND" ? wordsOf(question) : keywordsOf(question)
    const rows = select.all(words.map((word) => `"${word}"`).join(` ${operator} `))
    return { refs: rows.map(({ ref }) => ref), confidence: -(rows[0]?.rank ?? 0) }
  })
}

export function keywordsOf(question: string): string[] {
  const words = wordsOf(question)
  const telling = words.filter((word) => !isFunctionWord(word))
  return telling.length === 0 ? words : telling
}

/** All searchable fields of a note as one text. */
export function searchable({ topic, tags = [], entities, text }: Note): string {
  return [topic, tags.join(" "), entities.join(", "), text].join("\n")
}

function wordsOf(question: string): string[] {
  return [...new Set(question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])]
}

function timed(name: string, find: (question: string) => Found): Engine {
  return {
    name,
    ask: async ({ question }) => {
      const started = performance.now()
      const found = find(question)
      return { ...found, ...UNMARKED, tookMs: performance.now() - started }
    },
  }
}
