import { AmanError } from "../../base/errors.ts"
import { nearest } from "../../base/nearest.ts"
import type { KnownEntities } from "./knowledge-graph.ts"

/**
 * The number of the entity of that name, alias or id, as one sees it from a project; NOT_FOUND names what is like it.
 */
export function findEntity(
  { names, numbers, entities }: KnownEntities,
  wanted: string,
  project: string | null,
): number {
  const named = names.find(wanted, project)
  const number = numbers.get(named?.id ?? wanted.trim().toLowerCase())
  if (number !== undefined) return number
  const known = entities
    .filter((one) => one.project === null || one.project === project)
    .map(({ name }) => name)
  const like = nearest(wanted, known)
  const hint = like === undefined ? "run: aman memory entities" : `did you mean ${like}?`
  throw new AmanError("NOT_FOUND", `no entity ${JSON.stringify(wanted)}`, { hint })
}
