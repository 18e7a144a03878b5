import { Server } from "./server.ts"
import { alignShown, type LinesOf, type Place, type ScoredFile } from "./task-score.ts"

export type ContextAnswer = {
  /** Files in the order of the answer. */
  readonly named: readonly string[]
  readonly shown: readonly Place[]
  readonly tokens: number
}

/** The tool's maximum, so that no judged file is left out. */
const MAX_SEARCH_TOKENS = 20_000

/** The parts of the `search` tool's answer that are judged. */
type SearchJson = {
  readonly results: readonly {
    readonly path: string
    readonly start_line: number
    readonly end_line: number
    readonly also: readonly { readonly start_line: number; readonly end_line: number }[]
  }[]
}

/** The parts of the `context` tool's answer that are judged. */
type ContextJson = {
  readonly files: readonly {
    readonly path: string
    readonly snippets: readonly { readonly text: string; readonly lines: string }[]
  }[]
  readonly tokens: number
}

/** A server of the compiled program for one indexed tree. A process for each question would take hours. */
export class Asked implements AsyncDisposable {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(binary: string, root: string, indexDir: string): Promise<Asked> {
    const server = new Server(binary, root, indexDir)
    await server.initialize()
    return new Asked(server)
  }

  async search(query: string, limit: number, names: readonly string[] = []): Promise<ScoredFile[]> {
    const { results } = await this.#call<SearchJson>("search", {
      query,
      names,
      limit,
      max_tokens: MAX_SEARCH_TOKENS,
    })
    return results.map(({ path, start_line, end_line, also }) => ({
      path,
      places: [{ start_line, end_line }, ...also].map((place) => ({
        start: place.start_line,
        end: place.end_line,
      })),
    }))
  }

  /**
   * Answers a query with `context`. Lines count as shown only if the snippet's text contains them, because
   * "10-40" may also be the definition that a single line is about.
   */
  async context(query: string, maxTokens: number, linesOf: LinesOf): Promise<ContextAnswer> {
    const { files, tokens } = await this.#call<ContextJson>("context", { query, max_tokens: maxTokens })
    const shown = files.flatMap(({ path, snippets }) =>
      snippets.flatMap(({ text, lines }) => {
        const [start = 1, end = start] = lines.split("-").map(Number)
        return alignShown(text, { start, end }, linesOf(path) ?? []).map((range) => ({ path, ...range }))
      }),
    )
    return { named: files.map(({ path }) => path), shown, tokens }
  }

  async #call<Answer>(tool: string, args: object): Promise<Answer> {
    const answer = await this.#server.request("tools/call", { name: tool, arguments: args })
    const { isError, content, structuredContent } = answer as {
      readonly isError?: boolean
      readonly content: unknown
      readonly structuredContent: Answer
    }
    if (isError) throw new Error(`${tool}: ${JSON.stringify(content)}`)
    return structuredContent
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.kill()
  }
}
