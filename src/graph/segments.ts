import type { FileView } from "./file-view.ts"
import { partsOf, type Wanted } from "./modules.ts"

/** Each part of a path, lower case; its folder as a whole ends with "/", its package begins with "=". */
export function segmentsOf({ path, folder, package: name }: FileView): readonly string[] {
  const parts = partsOf(path, path.replace(/(?:\.d)?\.\w+$/, ""))
  // Few as they are, a set of them costs more than to compare each with each.
  const segments: string[] = []
  const add = (segment: string) => {
    if (!segments.includes(segment)) segments.push(segment)
  }
  for (const part of parts) add(part)
  add(`${folder}/`)
  if (name !== null) {
    add(`=${name}`)
    add(name.toLowerCase())
  }
  return segments
}

/** Those of the files that lie beside one, and of those that its imports may name. */
export function segmentsAround(file: FileView): readonly string[] {
  const around = new Set([`${file.folder}/`, `=${file.package}`])
  for (const module of file.imports) {
    for (const name of namedBy(file.wanted(module))) around.add(name)
    around.add(`=${module}`)
  }
  return [...around]
}

function namedBy(wanted: Wanted): readonly string[] {
  const words = "target" in wanted ? wanted.target.toLowerCase().split("/") : wanted.words
  return words.slice(-2).map((word) => (word.includes(".") ? word.replace(/\.\w+$/, "") : word))
}
