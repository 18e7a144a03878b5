import { LRUCache } from "lru-cache"
import { type Catalogue, note } from "../catalogue/catalogue.ts"

/** Maximum number of denials of one kind and one principal recorded per minute; further ones are only counted. */
const MAX_A_MINUTE = 60

const MINUTE_MS = 60_000

/** Name in the audit log for a requester whose principal is not known. */
export const UNKNOWN = "unknown"

/** Records denied accesses in the audit log, within a limit, so that nobody can fill the database with them. */
export class DenialLog {
  readonly #catalogue: Catalogue
  readonly #now: () => number
  /** Number of denials since the start, including those that are not recorded. */
  count = 0
  readonly #recent = new LRUCache<string, { since: number; count: number }>({ max: 1000 })

  /** `now`: milliseconds. */
  constructor(catalogue: Catalogue, now: () => number = Date.now) {
    this.#catalogue = catalogue
    this.#now = now
  }

  async record(who: string, action: string, about: string): Promise<void> {
    this.count++
    const now = this.#now()
    const kind = JSON.stringify([who, action])
    const known = this.#recent.get(kind)
    if (known !== undefined && now - known.since < MINUTE_MS) {
      known.count++
      if (known.count > MAX_A_MINUTE) return
    } else {
      this.#recent.set(kind, { since: now, count: 1 })
      const left = (known?.count ?? 0) - MAX_A_MINUTE
      if (left > 0) await this.#note(who, action, `${left} more, not listed`)
    }
    await this.#note(who, action, about)
  }

  #note(who: string, action: string, about: string): Promise<void> {
    return this.#catalogue.run((sql) => note(sql, who, action, about))
  }
}
