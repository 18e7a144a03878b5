import { AmanError } from "../../base/errors.ts"
import type { Config } from "../../config/load.ts"
import { lineProgram, programName } from "./line-program.ts"

/** A place that a search program found. `line` is 1-based; null if the program names only the file. */
type ProgramPlace = { readonly path: string; readonly line: number | null }

/**
 * Asks the user's search program for places in the folder `root`, and returns them best first. Throws EMBEDDER if the
 * program does not answer, or if its answer has another form.
 */
export async function askSearcher(
  { program, results, timeoutMs, programMemoryBytes }: Config["searcher"],
  root: string,
  query: string,
): Promise<ProgramPlace[]> {
  const limits = { timeoutMs, maxMemoryBytes: programMemoryBytes }
  const answer = await lineProgram(program).ask({ op: "search", root, query, limit: results }, limits)
  const places = Array.isArray(answer["results"]) ? answer["results"].map(parsePlace) : [null]
  if (!places.includes(null)) return (places as ProgramPlace[]).slice(0, results)
  throw new AmanError("EMBEDDER", `the program ${programName(program)} gave no list of places`, {
    hint: "docs/programs.md describes the answer",
  })
}

function parsePlace(value: unknown): ProgramPlace | null {
  const { path, line = null } = (value ?? {}) as { path?: unknown; line?: unknown }
  if (typeof path !== "string" || path === "") return null
  if (line === null) return { path, line }
  return typeof line === "number" && Number.isInteger(line) && line > 0 ? { path, line } : null
}
