import type { Project } from "../project/open-project.ts"

/** Values that show whether an index has changed, from cheap to expensive. */
export type IndexRevision = {
  /** Changes with each commit; not comparable between processes. */
  readonly version: number
  /** Changes when a file is added or removed. */
  readonly list: () => bigint
  /** Changes when that file is indexed again; null if it is not indexed. */
  readonly file: (path: string) => number | null
}

/** Revision of the current index; null if there is no index. */
export function indexRevision(project: Project): IndexRevision | null {
  const store = project.reader()?.store
  if (store === undefined) return null
  return {
    version: store.dataVersion(),
    list: () => Bun.hash.wyhash(JSON.stringify(store.files.paths().map(([, path]) => path))),
    file: (path) => store.files.byPath(path)?.id ?? null,
  }
}
