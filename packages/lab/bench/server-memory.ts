import { existsSync } from "node:fs"
import { join } from "node:path"
import { keywordsOf, searchable } from "./knowledge-baselines.ts"
import type { Note, Question } from "./knowledge-data.ts"
import { type Answered, type Engine, UNMARKED } from "./knowledge-score.ts"
import { McpChild } from "./mcp-child.ts"

const PACKAGE = "@modelcontextprotocol/server-memory"
const BATCH = 100
const LIMIT = 10

/** Path of the official memory server's script; null if it is not installed. */
export function findServerMemory(given: string | null): string | null {
  const script = given ?? join(import.meta.dir, "../../../node_modules", PACKAGE, "dist/index.js")
  return existsSync(script) ? script : null
}

/** The official memory server, which stores its graph in one file. */
export class ServerMemory implements AsyncDisposable {
  readonly #child: McpChild
  readonly #refs = new Map<string, string>()

  constructor(script: string, file: string) {
    this.#child = new McpChild(["node", script], { MEMORY_FILE_PATH: file })
  }

  async start(): Promise<void> {
    await this.#child.start()
  }

  /**
   * Stores each note as an entity whose observation is the note's text, so that its search can find all of it.
   * Returns milliseconds per note.
   */
  async store(notes: readonly Note[]): Promise<number> {
    const started = performance.now()
    for (let at = 0; at < notes.length; at += BATCH) {
      const entities = notes.slice(at, at + BATCH).map((note, i) => {
        const name = `${note.topic} ${at + i}: ${note.entities.join(", ")}`
        this.#refs.set(name, note.ref)
        return {
          name,
          entityType: note.topic,
          observations: [searchable(note), `recorded ${note.recorded_at}`],
        }
      })
      await this.#child.call("create_entities", { entities })
    }
    return (performance.now() - started) / notes.length
  }

  /**
   * Searches for the question as a whole, as the tool's description suggests. It finds entities that contain
   * all of it, in the order of storing.
   */
  whole(): Engine {
    return this.#engine(`${PACKAGE}, the question`, async ({ question }) => {
      const found = await this.#search(question)
      return { refs: found.slice(0, LIMIT), confidence: found.length > 0 ? 1 : 0 }
    })
  }

  /**
   * Searches for each word separately, as a patient agent might, and ranks entities by the number of words that
   * found them.
   */
  eachWord(): Engine {
    return this.#engine(`${PACKAGE}, each word`, async ({ question }) => {
      const words = keywordsOf(question)
      const times = new Map<string, number>()
      for (const word of words) {
        for (const ref of await this.#search(word)) times.set(ref, (times.get(ref) ?? 0) + 1)
      }
      const found = [...times].sort(([, a], [, b]) => b - a)
      return {
        refs: found.slice(0, LIMIT).map(([ref]) => ref),
        confidence: (found[0]?.[1] ?? 0) / words.length,
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]()
  }

  #engine(
    name: string,
    find: (question: Question) => Promise<Pick<Answered, "refs" | "confidence">>,
  ): Engine {
    return {
      name,
      ask: async (question) => {
        const started = performance.now()
        const found = await find(question)
        return { ...found, ...UNMARKED, tookMs: performance.now() - started }
      },
    }
  }

  async #search(query: string): Promise<string[]> {
    const { entities } = await this.#child.call<{ entities: readonly { name: string }[] }>("search_nodes", {
      query,
    })
    return entities.flatMap(({ name }) => this.#refs.get(name) ?? [])
  }
}
