import { afterAll } from "bun:test"
import { graphIn } from "../src/symbols/answer/answer-lines.ts"
import type { SymbolGraph } from "../src/symbols/symbol-graph.ts"
import { type Files, TempProject } from "./temp-project.ts"

/** A project of these files and the symbol graph of its index, for all tests of one file. */
export async function indexedGraph(
  files: Files,
): Promise<{ readonly project: TempProject; readonly graph: SymbolGraph }> {
  const project = new TempProject(files)
  afterAll(() => project[Symbol.dispose]())
  await project.index()
  const opened = project.open()
  return { project, graph: graphIn(opened, opened.reader()!.store) }
}
