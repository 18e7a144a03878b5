import { type Checking, checkFields } from "./check-entry.ts"
import type { Entry } from "./entry.ts"
import type { Change } from "./event.ts"
import { normaliseTags } from "./tags.ts"

export type Tagging = { readonly add?: readonly string[]; readonly remove?: readonly string[] }

/** What changes an entry's tags; null where it has them so already. CREDENTIAL as of an entry. */
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
