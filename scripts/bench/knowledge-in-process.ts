import { RecallIndex } from "../../src/knowledge/recall/recall-index.ts"
import type { Explain } from "./knowledge-channels.ts"
import type { Note } from "./knowledge-data.ts"
import type { Engine } from "./knowledge-score.ts"

const LIMIT = 10

/** The index alone, without a store and its rules. */
export async function inProcess(notes: readonly Note[]): Promise<{ engine: Engine; explain: Explain }> {
  const index = new RecallIndex()
  await index.upsert(
    notes.map((note) => ({
      id: note.ref,
      project: null,
      topic: note.topic,
      kind: "semantic",
      text: note.text,
      tags: note.tags ?? [],
      author: note.author ?? null,
      role: note.role ?? null,
      session: note.session ?? null,
      ordinal: note.ordinal ?? null,
      entities: note.entities,
      metadata: {},
      validFrom: note.valid_from ?? null,
      validUntil: null,
      recordedAt: note.recorded_at,
      supersededAt: null,
    })),
  )
  const search = (question: string, limit: number, asOf = "9999") =>
    index.search(question, {
      limit,
      accept: ({ validFrom, recordedAt }) => (validFrom ?? recordedAt) <= asOf,
    })
  return {
    engine: {
      name: "aman, the index alone",
      ask: async ({ question, as_of }) => {
        const started = performance.now()
        const { hits, confidence } = await search(question, LIMIT, as_of)
        const tookMs = performance.now() - started
        return { refs: hits.map(({ document }) => document.id), marked: new Set(), confidence, tookMs }
      },
    },
    explain: async ({ question, as_of }) => {
      const { hits } = await search(question, notes.length, as_of)
      return hits.map(({ document, terms }) => ({ ref: document.id, terms }))
    },
  }
}
