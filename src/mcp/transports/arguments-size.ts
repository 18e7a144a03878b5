// Far more than any tool accepts: 100 relations of an entry, some ten metadata fields, 100 entries at once.
const MAX_VALUES = 100_000
const MAX_IN_ONE = 10_000

/**
 * Error message if a call's arguments have too many values; else null. Each value takes up to 40 µs to check
 * against the tool's schema, and each wrong one adds a line to the answer, so 4 MB of them would take
 * minutes.
 */
export function argumentsProblem(params: unknown): string | null {
  const open: unknown[] = [params]
  let count = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue
    const parts: unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (parts.length > MAX_IN_ONE) return `a list or an object may have at most ${MAX_IN_ONE} values`
    count += parts.length
    if (count > MAX_VALUES) return `a call may have at most ${MAX_VALUES} values`
    for (const part of parts) if (typeof part === "object") open.push(part)
  }
  return null
}
