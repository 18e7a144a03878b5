import { existsSync } from "node:fs"
import type { ServedProject } from "../../../src/ask/index.ts"
import { AmanError, everyHalfSecond } from "../../../src/base/index.ts"
import { knowledgePath, type MemoryHandle } from "../../../src/memory/index.ts"

/** Maximum number of streams. Each open page has one, and a person does not open more pages than this. */
const MAX_STREAMS = 32
/** Interval between two pulses, in half seconds. Sending a pulse fails if the page was closed. */
const PULSE = 30

/**
 * Streams of server-sent events that inform open pages of changes of the index and of the memory, also those of other
 * processes, and of the progress of index runs.
 */
export class ProjectEvents {
  readonly #project: ServedProject
  readonly #memory: MemoryHandle
  readonly #streams = new Set<ReadableStreamDefaultController<string>>()
  readonly #timer: Disposable
  #last = ""
  #ticks = 0
  #isAsking = false

  constructor(project: ServedProject, memory: MemoryHandle) {
    this.#project = project
    this.#memory = memory
    this.#timer = everyHalfSecond(() => void this.#poll())
  }

  /**
   * Opens a stream. Its first event contains the last known state; if that is out of date, as after a time without open
   * pages, another follows within half a second. Throws USAGE if too many streams are open.
   */
  open(signal: AbortSignal): Response {
    if (this.#streams.size >= MAX_STREAMS) throw new AmanError("USAGE", "too many pages are open")
    let stream: ReadableStreamDefaultController<string>
    const leave = () => {
      this.#streams.delete(stream)
    }
    const body = new ReadableStream<string>({
      start: (controller) => {
        stream = controller
        this.#streams.add(controller)
        signal.addEventListener("abort", leave, { once: true })
        controller.enqueue(this.#last === "" ? ": hello\n\n" : event(this.#last))
      },
      cancel: leave,
    })
    if (this.#last === "") void this.#poll()
    return new Response(body.pipeThrough(new TextEncoderStream()), {
      headers: { "content-type": "text/event-stream" },
    })
  }

  close(): void {
    this.#timer[Symbol.dispose]()
    for (const stream of this.#streams) stream.close()
    this.#streams.clear()
  }

  async #poll(): Promise<void> {
    if (this.#streams.size === 0 || this.#isAsking) return
    this.#isAsking = true
    try {
      const status = await this.#project.status()
      const { state, progress, pending, files, leader, generation } = status
      const version = this.#project.indexRevision()?.version ?? null
      const memory = await this.#memoryVersion()
      const now = JSON.stringify({ state, progress, pending, files, leader, generation, version, memory })
      this.#ticks++
      if (now !== this.#last) this.#send(event(now))
      else if (this.#ticks % PULSE === 0) this.#send(": pulse\n\n")
      this.#last = now
    } catch {
      // The next request of the page gets the error with its reason.
    } finally {
      this.#isAsking = false
    }
  }

  /**
   * Number of the memory's last event; null without a memory. It is opened here, because a page that learns the number
   * after its first answers asks for them again.
   */
  async #memoryVersion(): Promise<number | null> {
    if (!existsSync(knowledgePath())) return null
    // A memory that cannot be read keeps no page from hearing about the index; requests get the error with its reason.
    return this.#memory.use(async ({ knowledge }) => knowledge.lastSeq()).catch(() => null)
  }

  #send(text: string): void {
    for (const stream of this.#streams) {
      try {
        stream.enqueue(text)
      } catch {
        this.#streams.delete(stream)
      }
    }
  }
}

function event(data: string): string {
  return `data: ${data}\n\n`
}
