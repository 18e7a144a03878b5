import type { Store } from "../store/store.ts"

/** Degradations in force, each with what to do about it. */
export function noticesOf(store: Store): string[] {
  const notices: string[] = []
  const degraded = store.files.degradations()
  for (const { reason, files } of degraded) {
    notices.push(`${files} ${files === 1 ? "file was" : "files were"} cut by lines: ${reason}`)
  }
  return notices
}
