import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import type { Memory } from "../app/memory/memory.ts"
import { AmanError } from "../base/errors.ts"
import { TEMPLATES, templateIn, type ValueSource } from "./resources/uris.ts"
import type { Session } from "./session/session.ts"

/** Maximum number of completions in one answer, set by the protocol. */
const MAX_VALUES = 100

/** Sources of completions for each argument of a prompt. */
const PROMPTS: Readonly<Record<string, Readonly<Record<string, readonly ValueSource[]>>>> = {
  onboard: { focus: ["paths"] },
  explain: { target: ["paths", "symbols"] },
  "find-impact": { symbol: ["symbols"], change: ["none"] },
  "what-do-we-know": { topic: ["topics", "symbols"] },
}
/** Completes arguments: paths, symbols, topics and ids. */
export function serveCompletions({ server }: McpServer, session: Session): void {
  server.registerCapabilities({ completions: {} })
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }) => {
    const sources =
      ref.type === "ref/prompt"
        ? PROMPTS[ref.name]?.[argument.name]
        : (await templateOf(ref.uri, session))?.[argument.name]
    if (sources === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `unknown argument ${JSON.stringify(argument.name)}`,
      )
    const found: string[] = []
    for (const source of sources) found.push(...(await valuesOf(source, argument.value)))
    const values = [...new Set(found)]
    return { completion: { values: values.slice(0, MAX_VALUES), hasMore: values.length > MAX_VALUES } }
  })

  async function valuesOf(source: ValueSource, typed: string): Promise<string[]> {
    try {
      if (source === "none") return []
      if (source === "topics" || source === "ids") return await matchingNames(session, source, typed)
      const kind = source === "paths" ? "path" : "symbol"
      return await session.withProjects(async (projects) =>
        projects.flatMap((project) => project.complete(kind, typed, MAX_VALUES + 1)),
      )
    } catch (error) {
      // A missing project is not reported while the user types; there are then no completions.
      if (error instanceof AmanError) return []
      throw error
    }
  }
}

async function templateOf(uri: string, session: Session) {
  const roots = await session.withProjects(async (projects) => projects.map(({ root }) => root))
  return TEMPLATES.find((template) => roots.some((root) => templateIn(root, template) === uri))?.sources
}

async function matchingNames(session: Session, source: "topics" | "ids", typed: string): Promise<string[]> {
  const start = typed.toLowerCase()
  const { storeFilterFor } = await import("../app/memory/entries/entry-names.ts")
  const namesIn = async (memory: Memory) => {
    const { entries } = memory.knowledge.list(storeFilterFor(memory, {}))
    const names = new Set(entries.map(({ id, topic }) => (source === "ids" ? id : topic)))
    const fitting = [...names].filter((name) => name.toLowerCase().includes(start))
    return fitting
      .sort((a, b) => Number(b.startsWith(typed)) - Number(a.startsWith(typed)))
      .slice(0, MAX_VALUES + 1)
  }
  return (await session.mapRoots(({ withMemory }) => withMemory(namesIn))).flat()
}
