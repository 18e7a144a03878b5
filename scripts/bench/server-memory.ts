import { existsSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { keywordsOf, searchable } from "./knowledge-baselines.ts"
import type { Note, Question } from "./knowledge-data.ts"
import type { Answered, Engine } from "./knowledge-score.ts"
import { childEnv } from "./processes.ts"

const PACKAGE = "@modelcontextprotocol/server-memory"
const BATCH = 100
const LIMIT = 10

/** The script of the official memory server; null where it is not installed. */
export function findServerMemory(given: string | null): string | null {
  const script = given ?? join(import.meta.dir, "../../node_modules", PACKAGE, "dist/index.js")
  return existsSync(script) ? script : null
}

/** The official memory server as its own process, asked over MCP. */
export class ServerMemory implements AsyncDisposable {
  readonly #client = new Client({ name: "bench", version: "1" })
  readonly #refs = new Map<string, string>()

  /** `file` is where it keeps its graph; `runtime` runs its script. */
  async start(script: string, file: string, runtime = "node"): Promise<void> {
    const env = childEnv({ MEMORY_FILE_PATH: file })
    await this.#client.connect(
      new StdioClientTransport({ command: runtime, args: [script], env, stderr: "ignore" }),
    )
  }

  /** One entity a note, its text the observation: nothing that it could find is left out. In ms a note. */
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
      await this.#call("create_entities", { entities })
    }
    return (performance.now() - started) / notes.length
  }

  /** As its tool says: the question is the query. It finds what holds the whole of it, in the order of storing. */
  whole(): Engine {
    return this.#engine(`${PACKAGE}, the question`, async ({ question }) => {
      const found = await this.#search(question)
      return { refs: found.slice(0, LIMIT), confidence: found.length > 0 ? 1 : 0 }
    })
  }

  /** What a patient agent might do: each word by itself, and what the most of them found comes first. */
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
    await this.#client.close()
  }

  #engine(name: string, find: (question: Question) => Promise<Omit<Answered, "marked" | "tookMs">>): Engine {
    return {
      name,
      ask: async (question) => {
        const started = performance.now()
        const found = await find(question)
        return { ...found, marked: new Set<string>(), tookMs: performance.now() - started }
      },
    }
  }

  async #search(query: string): Promise<string[]> {
    const answer = await this.#call("search_nodes", { query })
    const { entities } = answer.structuredContent as { entities: readonly { name: string }[] }
    return entities.flatMap(({ name }) => this.#refs.get(name) ?? [])
  }

  async #call(name: string, args: Record<string, unknown>) {
    const answer = await this.#client.callTool({ name, arguments: args })
    if (answer.isError) throw new Error(`${PACKAGE} ${name}: ${JSON.stringify(answer.content)}`)
    return answer
  }
}
