import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fts5Engine } from "./knowledge-baselines.ts"
import { type Note, type Question, readWorkdayNotes, readWorkdayQuestions } from "./knowledge-data.ts"
import {
  type Asked,
  answerable,
  askAll,
  confidenceAuc,
  meanReciprocalRank,
  recallAt,
  recallAt5,
} from "./knowledge-score.ts"
import { NoteStore } from "./knowledge-store.ts"
import type { Section } from "./section.ts"
import type { Table } from "./table.ts"
import { languagePairsTable } from "./truth-pairs.ts"

/**
 * Notes of working days: which ones are marked as updated, and which are found in other words. Pairs and questions of the
 * closed split are asked only with `--split closed`.
 */
export const workdaySection: Section = {
  name: "workday",
  lacks: () => null,
  async run({ binary, scratch, split }): Promise<readonly Table[]> {
    const notes = readWorkdayNotes()
    const questions = readWorkdayQuestions(split)
    const store = new NoteStore(binary, join(scratch, "workday"), notes)
    await using server = await store.serve()
    const rows = []
    for (const engine of [store.engine(server), fts5Engine(notes, "OR")]) {
      const asked = await askAll(engine, questions)
      const answered = answerable(asked)
      rows.push([
        engine.name,
        ...[recallAt(answered, 1), recallAt5(answered), meanReciprocalRank(answered), confidenceAuc(asked)],
      ])
    }
    const unanswered = questions.filter(({ answers }) => answers.length === 0).length
    return [
      languagePairsTable(split),
      {
        title: `Finding one of ${notes.length} notes by a question in other words, ${split} split`,
        columns: ["", "recall@1", "recall@5", "MRR", "AUC of knowing"].map((name) => ({ name, digits: 3 })),
        rows,
        notes: [`${questions.length - unanswered} questions with an answer, ${unanswered} without`],
      },
      await languagesTable(binary, scratch, split === "closed" ? "closed" : "open"),
    ]
  },
}

/** Notes of one person in one language, and questions about them in other words of that language. */
type LanguageStore = {
  readonly language: string
  readonly notes: readonly Pick<Note, "ref" | "text">[]
} & { readonly [Split in "open" | "closed"]: readonly Pick<Question, "question" | "answers">[] }

/** Recall from twelve stores of 14 notes: three in English, one in each of nine other languages. */
async function languagesTable(binary: string, scratch: string, split: "open" | "closed"): Promise<Table> {
  const file = join(import.meta.dirname, "workday/languages.json")
  const stores: readonly LanguageStore[] = JSON.parse(readFileSync(file, "utf8"))
  const asked = new Map<string, Asked[]>()
  for (const { language, notes, [split]: questions } of stores) {
    const store = new NoteStore(binary, join(scratch, "languages"), notes.map(noteOf))
    await using server = await store.serve()
    const answers = await askAll(
      store.engine(server),
      questions.map((question) => ({ kind: "paraphrase", ...question })),
    )
    asked.set(language, [...(asked.get(language) ?? []), ...answers])
  }
  const rows = [...asked, ["all", [...asked.values()].flat()] as const].map(([language, all]) => {
    const answered = answerable(all)
    return [
      language,
      answered.length,
      recallAt(answered, 1),
      recallAt(answered, 3),
      meanReciprocalRank(answered),
    ]
  })
  return {
    title: `Finding one of 14 notes by a question in other words of its language, ${split} split`,
    columns: [
      { name: "" },
      { name: "questions", digits: 0 },
      ...["recall@1", "recall@3", "MRR"].map((name) => ({ name, digits: 3 })),
    ],
    rows,
    notes: [],
  }
}

function noteOf({ ref, text }: Pick<Note, "ref" | "text">): Note {
  return { ref, text, topic: "work", entities: [], recorded_at: "2026-11-30" }
}
