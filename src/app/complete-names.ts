import type { Project } from "./open-project.ts"

export type NameKind = "path" | "symbol"

/** Paths or symbols that somebody may mean who has typed so much; none while there is no index. */
export function completeNames(project: Project, kind: NameKind, typed: string, limit: number): string[] {
  const store = project.reader()?.store
  if (store === undefined) return []
  return kind === "path" ? store.files.pathsWith(typed, limit) : store.symbols.namesFrom(typed, limit)
}
