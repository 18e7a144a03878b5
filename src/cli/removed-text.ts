import type { RemovedIndex } from "../app/remove-index.ts"
import { bytes, counted } from "./numbers.ts"
import { printableLine } from "./printable.ts"

/** What a removal did, in a line. */
export function removedText({ root, dir, files, bytes: size }: RemovedIndex): string {
  if (files === 0) return `there is no index of ${printableLine(root)}\n`
  return `removed the index in ${printableLine(dir)}: ${counted(files, "file")}, ${bytes(size)}\n`
}
