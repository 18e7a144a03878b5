/** Order of two texts by code units, for sorting: the same in every locale, negative if `a` comes first. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
