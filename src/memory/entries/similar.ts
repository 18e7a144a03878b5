import { compareTexts } from "../../base/compare-texts.ts"
import { AmanError } from "../../base/errors.ts"
import type { KnowledgeStore } from "../../store/memory/knowledge-store.ts"
import type { Entry } from "./entry.ts"
import { toEntry } from "./entry-rows.ts"
import type { SimilarEntry } from "./new-entry.ts"
import { comparableText, nearDuplicate, similarityKeys } from "./similarity.ts"

/** Max entries compared: those that share the most rare words with the new one. */
const MAX_COMPARED = 32

const MAX_SIMILAR = 5

/** Living entries of the same project and topic with nearly the same text, most similar first. */
export function similarEntries(
  store: KnowledgeStore,
  { id, project, topic, text }: Pick<Entry, "id" | "project" | "topic" | "text">,
): SimilarEntry[] {
  const own = comparableText(text)
  const candidates = store.entries.sharing(similarityKeys(project, topic, own), MAX_COMPARED).map(toEntry)
  return candidates
    .filter((other) => other.id !== id)
    .flatMap((other) => {
      const found = nearDuplicate(own, comparableText(other.text))
      return found === null ? [] : [{ id: other.id, text: other.text, ...found }]
    })
    .sort((a, b) => b.score - a.score || compareTexts(a.id, b.id))
    .slice(0, MAX_SIMILAR)
}

/** The error for a caller that stores new entries only (`ifNew`). */
export function notNewError(similar: readonly SimilarEntry[]): AmanError {
  const ids = similar.map(({ id, score }) => `${id} (${score.toFixed(2)})`).join(", ")
  return new AmanError("NOT_NEW", `nearly equal entries exist: ${ids}`, {
    hint: "revise or supersede that entry, or store this one without --if-new (if_new)",
  })
}
