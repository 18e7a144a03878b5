import { openStore } from "../store/open.ts"
import { indexPath } from "./index-folder.ts"
import { type Look, lookAt } from "./look.ts"
import type { LookTask } from "./messages.ts"

/** Looks at the files in a worker. What it found travels packed. */
export function lookTask(task: LookTask): Pick<Look, "snapshot" | "since"> {
  using store = openStore(indexPath(task.config.index.dir), { readonly: true })
  const { snapshot, since } = lookAt(task.root, task.config, store, task.usable)
  return { snapshot, since }
}
