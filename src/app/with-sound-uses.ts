import { AmanError } from "../base/errors.ts"
import { DamagedUses } from "../graph/damaged-uses.ts"
import type { Project } from "./open-project.ts"
import { refreshed, type SearchOptions } from "./search-project.ts"

// Whoever leads makes all that is damaged anew at once; more may be found while it does.
const MOST_RETRIES = 2

/** Asks again where uses in the index turned out damaged, once they were made anew from their files. */
export async function withSoundUses<T>(
  project: Project,
  options: SearchOptions,
  ask: () => T | Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof DamagedUses) || attempt > MOST_RETRIES) throw error
      const { mended } = await refreshed(project, options, [error.path])
      if (mended === "not") throw error
      if (mended === "later") throw beingRead(error)
    }
  }
}

function beingRead(cause: DamagedUses): AmanError {
  return new AmanError("INDEX_BUSY", `${cause.message}, and are being read again`, {
    hint: "ask again in a moment",
    cause,
  })
}
