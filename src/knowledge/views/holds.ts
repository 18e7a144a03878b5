import type { Entry } from "../entry.ts"
import { firstMoment } from "../times.ts"

/** Whether nothing says that the entry has ceased to hold by then, an instant. */
export function holds({ supersededAt, validUntil, deletedAt }: Entry, at: string): boolean {
  return (
    deletedAt === null &&
    (supersededAt === null || supersededAt > at) &&
    (validUntil === null || firstMoment(validUntil) > at)
  )
}
