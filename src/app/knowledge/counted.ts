/** "1 entry", "3 entries". */
export function entryCount(count: number): string {
  return `${count} ${count === 1 ? "entry" : "entries"}`
}

/** "1 relation", "3 relations". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
