import type { Project } from "./open-project.ts"

/** By what one tells whether something changed in an index, from cheap to dear. */
export type IndexMark = {
  /** Another after each commit; of no use in another process. */
  readonly version: number
  /** Another when a file came or went. */
  readonly list: () => bigint
  /** Another when that file's text is; null where it is not indexed. */
  readonly file: (path: string) => number | null
}

/** Null while there is no index. */
export function indexMark(project: Project): IndexMark | null {
  const store = project.reader()?.store
  if (store === undefined) return null
  return {
    version: store.dataVersion(),
    list: () => Bun.hash.wyhash(JSON.stringify(store.files.paths().map(([, path]) => path))),
    file: (path) => store.files.byPath(path)?.id ?? null,
  }
}
