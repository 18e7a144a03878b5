import type { Project } from "./open-project.ts"

export type ListedFile = { readonly path: string; readonly size: number; readonly language: string }

/** Indexed files in the order of their paths, from the first after `after`; none while there is no index. */
export function listFiles(project: Project, after: string, limit: number): ListedFile[] {
  return project.reader()?.store.files.after(after, limit) ?? []
}
