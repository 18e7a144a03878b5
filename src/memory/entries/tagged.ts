import type { Change } from "../log/event.ts"
import { type Checking, checkFields } from "./check-entry.ts"
import type { Entry } from "./entry.ts"
import { normaliseTags } from "./tags.ts"

export type Tagging = { readonly add?: readonly string[]; readonly remove?: readonly string[] }

/**
 * A function that returns the change of an entry's tags, or null when it has them already. Throws CREDENTIAL.
 */
export function tagged(
  { add = [], remove = [] }: Tagging,
  options: Checking = {},
): (entry: Entry) => Change | null {
  const { tags: added } = checkFields({ tags: add }, options)
  const change = { type: "tagged", add: added!, remove: normaliseTags(remove) } as const
  return ({ tags }) =>
    change.add.some((tag) => !tags.includes(tag)) || change.remove.some((tag) => tags.includes(tag))
      ? change
      : null
}
