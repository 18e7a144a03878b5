import type { Config } from "../config/load.ts"
import type { Store } from "../store/store.ts"
import { type Rescan, rescan } from "./rescan.ts"
import { scanProject } from "./scan.ts"
import { scanOptionsOf } from "./scan-options.ts"
import type { ScanResult } from "./scan-result.ts"
import { packScan, unpackScan } from "./scan-snapshot.ts"

/** The project as it is on disk, against the last completed run; without one, everything counts as changed. */
export type Look = {
  /** To be stored once the index shows it. */
  readonly snapshot: Uint8Array
  /** How many files there are, and what was left out. */
  readonly total: number
  readonly skipped: ScanResult["skipped"]
  /** All of it, unpacked when it is asked for. */
  readonly scan: () => ScanResult
  /** Null where there is nothing to compare with: the whole of `scan` is to be compared with the index. */
  readonly since: Pick<Rescan, "changed" | "removed"> | null
}

/** Looks at the files of a project; as little of them as telling what changed needs. */
export function lookAt(root: string, config: Config, store: Store, usable: boolean): Look {
  const bytes = usable ? store.snapshot.get() : null
  const last = bytes === null ? null : unpackScan(bytes)
  if (last === null) {
    const scan = scanProject(root, scanOptionsOf(config))
    return lookOf(packScan(scan), scan, null)
  }
  const { scan, changed, removed } = rescan(root, last, scanOptionsOf(config))
  const nothing = changed.length === 0 && removed.length === 0
  return lookOf(nothing ? bytes! : packScan(scan), scan, { changed, removed })
}

function lookOf(snapshot: Uint8Array, scan: ScanResult, since: Look["since"]): Look {
  return { snapshot, total: scan.files.length, skipped: scan.skipped, scan: () => scan, since }
}
