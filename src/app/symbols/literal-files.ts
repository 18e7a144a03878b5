/** The files that may contain a literal: indexed files by its words, files outside of the index by theirs. */

import { filesByWord, termsOfNames } from "../../search/channels/files-by-word.ts"
import type { IndexReader } from "../../search/reader.ts"
import type { Store } from "../../store/index/store.ts"
import type { Literal } from "../../symbols/literals.ts"
import { partialIndex } from "../project/notices.ts"
import type { Project } from "../project/open-project.ts"
import type { GrepFiles } from "../search/grep-files.ts"
import { OutsideFiles } from "./outside-files.ts"

/** The files below `isWanted` that may contain a literal; null if only a search of all files can tell. */
export function filesWithLiteral(
  project: Project,
  reader: IndexReader,
  literal: Literal,
  isWanted: (path: string) => boolean,
): GrepFiles | null {
  const { store } = reader
  if (partialIndex(store) !== null || reader.isDamaged) return null
  const ids = idsWithLiteral(reader, literal)
  if (ids === null) return null
  const outside = outsideOf(project, store)
  const list = outside.list(project)
  if (list === null) return null
  const terms = literal.names.map((names) => termsOfNames(names) ?? [])
  const mayContain = (path: string) =>
    terms.length === 0 || terms.some((each) => outside.mayContain(path, each))
  const indexed = store.files.named([...ids]).map(({ path }) => path)
  const paths = [
    ...indexed.filter(isWanted),
    ...list.paths.filter((path) => isWanted(path) && mayContain(path)),
  ]
  return { paths: [...new Set(paths)].sort(), leftOut: { secret: list.secrets } }
}

/** Ids of the indexed files that may contain a literal; null if its words do not tell. */
export function idsWithLiteral(reader: IndexReader, { names, files }: Literal): ReadonlySet<number> | null {
  const { store } = reader
  if (files !== null)
    return new Set(store.files.matching(files).flatMap((path) => store.files.byPath(path)?.id ?? []))
  const byWord = filesByWord({ keyword: reader.keyword() })
  const found = names.map((each) => byWord.ofNames(each))
  if (found.length === 0 || found.includes(null)) return null
  return found.reduce<ReadonlySet<number>>((all, ids) => all.union(ids!), new Set())
}

const known = new WeakMap<Store, OutsideFiles>()

function outsideOf({ root }: Project, store: Store): OutsideFiles {
  let outside = known.get(store)
  if (outside === undefined) {
    outside = new OutsideFiles(root, store)
    known.set(store, outside)
  }
  return outside
}
