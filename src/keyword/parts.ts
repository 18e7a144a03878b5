/** The words of a path by where they stand: file name without its extension, and directories. */
export function fileWords(path: string): { stem: string; directories: string } {
  const slash = path.lastIndexOf("/")
  const name = path.slice(slash + 1)
  const dot = name.lastIndexOf(".")
  return { stem: dot > 0 ? name.slice(0, dot) : name, directories: slash < 0 ? "" : path.slice(0, slash) }
}

const HEAD_LINES = 30

/** Where the first thirty lines end: their comments say what a file is for. */
export function headEnd(text: string): number {
  let at = 0
  for (let line = 0; line < HEAD_LINES; line++) {
    const next = text.indexOf("\n", at)
    if (next < 0) return text.length
    at = next + 1
  }
  return at
}

/** The parts of a qualified name, the symbol's own last. */
export function symbolNames(name: string): string[] {
  return name.split(/[.:]+/).filter((part) => part !== "")
}
