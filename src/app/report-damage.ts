import { log } from "../base/log.ts"

/** Says that one of our files, by its name, could not be used and is made anew. */
export function reportDamage(file: string): void {
  log.warn("a file of the index was damaged or missing and is made anew", { file })
}
