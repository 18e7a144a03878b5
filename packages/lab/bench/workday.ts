import { join } from "node:path"
import { fts5Engine } from "./knowledge-baselines.ts"
import { readWorkdayNotes, readWorkdayQuestions } from "./knowledge-data.ts"
import {
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
    ]
  },
}
