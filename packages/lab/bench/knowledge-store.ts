import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RecallAnswer } from "../../../src/memory/index.ts"
import type { Explain } from "./knowledge-channels.ts"
import { batchLines, type Note, type Question } from "./knowledge-data.ts"
import type { Engine } from "./knowledge-score.ts"
import { McpChild } from "./mcp-child.ts"
import { type Ran, run } from "./processes.ts"

const LIMIT = 10

/** Notes in a data folder of their own, stored by the program itself. */
export class NoteStore {
  /** The run that stored all notes, measured from the start of its process to the end. */
  readonly remembered: Ran
  readonly #binary: string
  readonly #folder: string
  readonly #refs: ReadonlyMap<string, string>

  constructor(binary: string, folder: string, notes: readonly Note[]) {
    this.#binary = binary
    this.#folder = folder
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(this.root, { recursive: true })
    const file = join(folder, "notes.jsonl")
    writeFileSync(file, batchLines(notes))
    this.remembered = this.#run(["remember", "--batch", file, "--json"])
    this.#run(["memory", "embed"])
    const { ids } = JSON.parse(this.remembered.stdout) as { ids: readonly string[] }
    if (new Set(ids).size !== notes.length)
      throw new Error(`${notes.length} notes became ${new Set(ids).size}`)
    this.#refs = new Map(ids.map((id, i) => [id, notes[i]!.ref]))
  }

  /** Path of knowledge.db in that folder. */
  get database(): string {
    return join(this.#folder, "data", "knowledge.db")
  }

  /** Root of the project for which the notes are stored. */
  get root(): string {
    return join(this.#folder, "project")
  }

  /** Runs one `aman recall` as a whole process. */
  recall(
    question: Question,
    limit: number,
    flags: readonly string[] = [],
  ): Ran & { readonly answer: RecallAnswer } {
    const { question: query, as_of } = question
    const dates = as_of === undefined ? [] : ["--as-of", as_of]
    const ran = this.#run(["recall", "--json", "--limit", `${limit}`, ...dates, ...flags, "--", query])
    return { ...ran, answer: JSON.parse(ran.stdout) as RecallAnswer }
  }

  explain(): Explain {
    return async (question) => {
      const { results } = this.recall(question, this.#refs.size, ["--explain"]).answer
      return results.map(({ id, explanation = [] }) => ({
        ref: this.#refs.get(id)!,
        terms: explanation.map(({ term, value }) => ({ name: term, value })),
      }))
    }
  }

  /** Starts a server for the store; the caller ends it. */
  async serve(): Promise<McpChild> {
    return await new McpChild(
      [this.#binary, "serve", "--structured", "--quiet", "--root", this.root],
      this.#env,
    ).start()
  }

  engine(server: McpChild): Engine {
    return {
      name: "aman",
      ask: async ({ question: query, as_of }) => {
        const started = performance.now()
        const args = { query, limit: LIMIT, ...(as_of === undefined ? {} : { as_of }) }
        const { results, confidence } = await server.call<RecallAnswer>("recall", args)
        const tookMs = performance.now() - started
        const refOf = (id: string) => this.#refs.get(id)!
        const old = results.filter((hit) => hit.outdated_by !== null || hit.superseded_by !== null)
        const disputed = results.filter(({ contradicts }) => contradicts.length > 0)
        return {
          refs: results.map(({ id }) => refOf(id)),
          outdated: new Set(old.map(({ id }) => refOf(id))),
          denied: new Map(disputed.map(({ id, contradicts }) => [refOf(id), contradicts.map(refOf)])),
          confidence,
          tookMs,
        }
      },
    }
  }

  get #env(): Record<string, string> {
    return { AMAN_DATA_DIR: join(this.#folder, "data"), AMAN_INDEX_DIR: join(this.#folder, "index") }
  }

  #run(args: readonly string[]): Ran {
    const [command, ...rest] = args
    const ran = run([this.#binary, command!, "--root", this.root, ...rest], {
      env: this.#env,
      measurePeak: command === "remember",
    })
    // Exit code 1 means that nothing was found.
    if (ran.exitCode > 1) throw new Error(`aman ${command} ended with ${ran.exitCode}: ${ran.stderr}`)
    return ran
  }
}
