import type { Config } from "../config/load.ts"
import type { ScanOptions } from "./scan-walk.ts"

/** What the configuration says about which files there are. */
export function scanOptionsOf({ index }: Config): ScanOptions {
  return { maxFileBytes: index.maxFileBytes, indexDir: index.dir }
}
