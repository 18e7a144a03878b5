import { AmanError } from "../base/errors.ts"
import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { Entry } from "./entry.ts"
import { toEntry } from "./entry-rows.ts"
import { compare, likenessKeys, likenessOf } from "./likeness.ts"
import type { Similar } from "./new-entry.ts"

/** Of those that share words with it, so many that share most are compared. */
const MOST_COMPARED = 32
const MOST_SHOWN = 5

/** Living entries of the same project and topic that say nearly the same, likest first. */
export function similarEntries(
  store: KnowledgeStore,
  { id, project, topic, text }: Pick<Entry, "id" | "project" | "topic" | "text">,
): Similar[] {
  const own = likenessOf(text)
  const candidates = store.entries.sharing(likenessKeys(project, topic, own), MOST_COMPARED).map(toEntry)
  return candidates
    .filter((other) => other.id !== id)
    .flatMap((other) => {
      const found = compare(own, likenessOf(other.text))
      return found === null ? [] : [{ id: other.id, text: other.text, ...found }]
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, MOST_SHOWN)
}

/** What is refused to whoever wants only what is new. */
export function notNew(similar: readonly Similar[]): AmanError {
  const ids = similar.map(({ id, score }) => `${id} (${score.toFixed(2)})`).join(", ")
  return new AmanError("NOT_NEW", `nearly the same is known: ${ids}`, {
    hint: "revise or supersede that entry, or store this one beside it without asking for new ones only",
  })
}
