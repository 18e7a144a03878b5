import type { KnowledgeCall } from "../../app/knowledge/calls.ts"
import { AmanError } from "../../base/errors.ts"
import type { Call } from "../call-progress.ts"
import { fitAnswer } from "../fit-answer.ts"
import type { Memories } from "../memories.ts"
import { searchText } from "../search-text.ts"
import type { Session } from "../session.ts"
import { symbolText } from "../symbol-text.ts"

const SEARCH_TOKENS = 3000
const MAP_TOKENS = 2000
const KNOWN_TOKENS = 2500

/** What aman knows, as text for a prompt; a question that has no answer says so in its place. */
export class Facts {
  readonly #session: Session
  readonly #memories: Memories
  readonly #call: Call

  constructor(session: Session, memories: Memories, call: Call) {
    this.#session = session
    this.#memories = memories
    this.#call = call
  }

  map(): Promise<string> {
    return this.#said(async () => {
      const { mapText } = await import("../../app/map/map-text.ts")
      const answer = await this.#session.call((project) => project.map(this.#call.signal), this.#call)
      return mapText(answer, { tokens: MAP_TOKENS })
    })
  }

  search(query: string, paths: readonly string[] = []): Promise<string> {
    return this.#said(async () => {
      const { cutAllToBudget } = await import("../../app/cut-answer.ts")
      const request = {
        query,
        paths,
        mode: "hybrid",
        content: "all",
        languages: [],
        kinds: [],
        explain: false,
        limit: 5,
      } as const
      const answer = await this.#session.call(
        (project) => project.search(request, this.#call.signal),
        this.#call,
      )
      return cutAllToBudget([answer], SEARCH_TOKENS).map(searchText).join("\n\n")
    })
  }

  symbol(request: {
    readonly name?: string
    readonly path?: string
    readonly relation: "callers" | "impact" | "outline"
  }): Promise<string> {
    return this.#said(async () => {
      const asked = { ...request, depth: 2, limit: 40, offset: 0 }
      return symbolText(
        await this.#session.call((project) => project.symbol(asked, this.#call.signal), this.#call),
      )
    })
  }

  isFile(path: string): Promise<boolean> {
    return this.#session.call(async (project) => project.indexMark()?.file(path) != null)
  }

  known(call: KnowledgeCall): Promise<string> {
    return this.#said(async () => {
      const { runCall } = await import("../../app/knowledge/run-call.ts")
      const answer = await this.#memories.use((memory) => runCall(memory, call))
      return answer.found ? fitAnswer(answer, KNOWN_TOKENS).text : "Nothing is remembered."
    })
  }

  async #said(answer: () => Promise<string>): Promise<string> {
    try {
      return await answer()
    } catch (error) {
      if (!(error instanceof AmanError)) throw error
      return `(${error.message})`
    }
  }
}
