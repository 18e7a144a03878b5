import type { Entry } from "./entry.ts"
import type { Change } from "./event.ts"
import { normaliseTags } from "./tags.ts"

export type Tagging = { readonly add?: readonly string[]; readonly remove?: readonly string[] }

/** What changes an entry's tags; null where it has them so already. */
export function tagged({ add = [], remove = [] }: Tagging): (entry: Entry) => Change | null {
  const change = { type: "tagged", add: normaliseTags(add), remove: normaliseTags(remove) } as const
  return ({ tags }) =>
    change.add.some((tag) => !tags.includes(tag)) || change.remove.some((tag) => tags.includes(tag))
      ? change
      : null
}
