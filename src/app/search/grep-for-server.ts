import { AmanError } from "../../base/errors.ts"
import type { Project } from "../project/open-project.ts"
import { projectPath } from "../project/project-path.ts"
import { GREP_TIMEOUT_MS, type GrepAnswer, type GrepQuestion } from "./grep-answer.ts"
import { GrepThreads } from "./grep-threads.ts"

/** One call of a client, which may run several searches. */
export type GrepCaller = {
  readonly client: object
  readonly signal: AbortSignal | undefined
  /** Remaining search time, shared by all searches of one call. */
  readonly budget: { leftMs: number }
}

export function grepCaller(client: object, signal?: AbortSignal): GrepCaller {
  return { client, signal, budget: { leftMs: GREP_TIMEOUT_MS } }
}

// Minimum time, so that the last of several searches reads some files, too.
const MIN_MS = 250

const threads = new GrepThreads()

/** A text search that does not block the server's other clients. */
export async function grepForServer(
  project: Project,
  question: GrepQuestion,
  { client, signal, budget }: GrepCaller,
): Promise<GrepAnswer> {
  const timeoutMs = Math.max(MIN_MS, budget.leftMs)
  try {
    const answer = await threads.run(project, question, { client, signal, timeoutMs })
    budget.leftMs -= answer.took_ms
    return answer
  } catch (error) {
    if (error instanceof AmanError && error.code === "NOT_FOUND") explain(project, question)
    throw error
  }
}

/** Throws NOT_FOUND for a missing path with a hint from the index, which only this thread opens. */
function explain(project: Project, { paths }: GrepQuestion): void {
  for (const path of paths) projectPath(project, path)
}
