import { openStore } from "../store/open.ts"
import { indexPath } from "./index-folder.ts"
import { lookAt, type WholeLook } from "./look.ts"
import type { LookTask } from "./messages.ts"

export type PackedLook = Omit<WholeLook, "scan">

/** Looks at the files in a worker. What it found travels packed. */
export function lookTask(task: LookTask): PackedLook {
  using store = openStore(indexPath(task.config.index.dir), { readonly: true })
  const { sign } = task
  const { scan, ...packed } = lookAt(task.root, task.config, store, task.usable, () => {
    if (sign !== undefined) Atomics.store(sign, 0, 1)
  })
  return packed
}
