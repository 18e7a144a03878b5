import { DRAWN_RELATIONS, type DrawnRelation } from "../../../app/symbols/drawn-symbols.ts"
import type { Relation, SymbolRequest } from "../../../app/symbols/symbol-answer.ts"
import { AmanError } from "../../../base/errors.ts"
import { EXIT, type Input } from "../../command.ts"
import { reportFailure } from "../../failure.ts"
import { asFilters } from "../../flags/project-paths.ts"
import { remarkNotices, withProject } from "../../with-project.ts"

type DrawingFormat = "mermaid" | "dot"

/** The requested form of drawing; null if the flags request none. Throws USAGE for a relation without a graph. */
export function drawingOf({ flags }: Input, { relation, name, diff }: SymbolRequest): DrawingFormat | null {
  const [form, other] = (["mermaid", "dot"] as const).filter((each) => flags.has(each))
  if (form === undefined) return null
  if (other !== undefined || flags.has("json"))
    throw new AmanError("USAGE", "choose one of --mermaid, --dot and --json")
  const hint = "for example: aman symbol Config --impact --mermaid"
  if (!isDrawn(relation) && relation !== "definition")
    throw new AmanError("USAGE", `--${relation} cannot be drawn`, { hint })
  if (flags.has("repository"))
    throw new AmanError("USAGE", "symbols of other repositories cannot be drawn", { hint })
  if (name === undefined && diff === undefined) throw new AmanError("USAGE", "no symbol given", { hint })
  return form
}

function isDrawn(relation: Relation): relation is Relation & DrawnRelation {
  return (DRAWN_RELATIONS as readonly string[]).includes(relation)
}

/** Prints the graph of the symbols related to the requested symbol, or to a diff, as Mermaid or DOT text. */
export async function printDrawing(
  input: Input,
  request: SymbolRequest,
  form: DrawingFormat,
): Promise<number> {
  const { output, signal } = input
  const { symbolOf } = await import("../../../app/symbols/symbol-project.ts")
  const { graphFor } = await import("../../../app/symbols/drawn-symbols.ts")
  const graphs = await import("../../../app/symbols/drawing.ts")
  const relation = isDrawn(request.relation) ? request.relation : "neighbourhood"
  const answer = await withProject(input, (project) => {
    const path = request.path && asFilters(project, [request.path])[0]!
    const options = { refresh: true, signal, isPatient: true }
    return graphFor((each) => symbolOf(project, each, options), { ...request, path, relation })
  }).catch((error: unknown) => {
    if (error instanceof AmanError && error.code === "NOT_FOUND") return error
    throw error
  })
  if (answer instanceof AmanError) {
    await reportFailure(answer, { json: false, verbose: input.flags.has("verbose") }, output)
    return EXIT.nothingFound
  }
  await output.write(graphs[form](answer.graph))
  remarkNotices(input, answer.notices)
  return answer.graph.edges.length === 0 ? EXIT.nothingFound : EXIT.ok
}
