/** A number with its noun: "1 relation", "3 relations". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}

/** The first of a number of things, and how many more there are: "a.ts", "a.ts and 2 more". */
export function firstAndMore(first: string, count: number): string {
  return count === 1 ? first : `${first} and ${count - 1} more`
}
