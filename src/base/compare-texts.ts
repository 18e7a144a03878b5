/**
 * Compares two texts by UTF-16 units, for sorting. The order is the same in every locale. The result is negative if `a`
 * comes first.
 */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
