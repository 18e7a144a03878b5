import { existsSync, renameSync, rmSync } from "node:fs"
import { AmanError } from "../base/errors.ts"
import { type Salvaged, salvage } from "../store/knowledge/salvage.ts"
import type { KnowledgeEvent } from "./event.ts"
import { eventProblem } from "./exchange/event-shape.ts"
import { isObject, parseJson } from "./exchange/json-value.ts"
import { Knowledge } from "./knowledge.ts"
import { mendAll } from "./mend.ts"

export type Recovered = {
  readonly entries: number
  readonly events: number
  /** Events that could not be read, and how many entries were made good from their tables. */
  readonly lost: number
  readonly mended: number
  /** Where the damaged file is now. */
  readonly kept: string
}

/**
 * Makes a new knowledge.db of what can be read of a damaged one, which stays beside it; null where it is sound. Events
 * come first; what they lack is taken from the tables that had been folded from them. KNOWLEDGE_CORRUPT where nothing
 * can be read.
 */
export function recover(path: string, now: () => number): Recovered | null {
  if (isSound(path, now)) return null
  const salvaged = readable(path)
  const fresh = `${path}.recovered`
  for (const suffix of ["", "-wal", "-shm"]) rmSync(fresh + suffix, { force: true })
  const counts = fill(fresh, salvaged, now)
  const kept = `${path}.damaged-${new Date(now()).toISOString().replaceAll(/\D/g, "").slice(0, 14)}`
  for (const suffix of ["", "-wal", "-shm"])
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  renameSync(fresh, path)
  return { ...counts, lost: salvaged.lost, kept }
}

/** What others write into a sound one meanwhile would be lost. */
function isSound(path: string, now: () => number): boolean {
  try {
    using knowledge = new Knowledge({ path, now, readonly: true })
    return knowledge.isSound()
  } catch (error) {
    if (error instanceof AmanError && error.code === "KNOWLEDGE_CORRUPT") return false
    throw error
  }
}

function readable(path: string): Salvaged {
  let cause: unknown
  try {
    const salvaged = salvage(path)
    if (salvaged.events.length + salvaged.entries.length > 0) return salvaged
  } catch (error) {
    cause = error
  }
  throw new AmanError("KNOWLEDGE_CORRUPT", `nothing can be read of ${path}`, {
    hint: "nothing was changed; import an export or another copy: move the file away, then aman memory import FILE",
    cause,
  })
}

function fill(path: string, salvaged: Salvaged, now: () => number): Omit<Recovered, "lost" | "kept"> {
  using knowledge = new Knowledge({ path, now })
  for (const project of salvaged.projects) knowledge.projects.add(project)
  for (const mark of salvaged.marks) knowledge.projects.mark(mark)
  knowledge.appendEvents(salvaged.events.flatMap(eventOf))
  const mended = knowledge.write((writer) => mendAll(writer, salvaged))
  return { mended, entries: knowledge.list({}, { limit: 0 }).total, events: knowledge.events().length }
}

function eventOf({ id, at, subject, body }: Salvaged["events"][number]): KnowledgeEvent[] {
  const event = { id, at, subject, change: parseJson(body) }
  return isObject(event.change) && eventProblem(event) === null ? [event as unknown as KnowledgeEvent] : []
}
