import { AmanError } from "../base/errors.ts"
import { isDamage } from "../store/sqlite-error.ts"

/** The uses of one file cannot be read; everything else of the index may be whole. */
export class DamagedUses extends AmanError {
  readonly path: string

  constructor(path: string, cause: AmanError) {
    super(cause.code, cause.message, { ...(cause.hint ? { hint: cause.hint } : {}), cause })
    this.path = path
  }
}

/** What is read of the uses of that file; damage is told with its path. */
export function readUses<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof AmanError && isDamage(error) ? new DamagedUses(path, error) : error
  }
}
