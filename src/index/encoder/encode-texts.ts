import { constants, setPriority } from "node:os"
import { join } from "node:path"
import { AmanError } from "../../base/index.ts"
import { type OwnProcess, startOwnProcess } from "../../text/index.ts"

/** Texts for the process of encoder-process.ts, of each of which at most `tokens` word pieces count, or pairs of notes. */
export type EncodeTask =
  | Readonly<{ texts: readonly string[]; tokens: number; of: "code" | "memories" }>
  | Readonly<{ pairs: readonly NotePair[] }>
/** The rows of the texts, or the log odds of the pairs. */
export type EncodeReply = { readonly rows: readonly Uint8Array[]; readonly odds: readonly number[] }

export type NotePair = readonly [older: string, newer: string]

/** The argument with which aman starts itself to encode texts. */
const ENCODER_PROCESS = "encode-texts"

/** A process that encodes texts and reads pairs of notes, one task at a time. */
export class TextEncoding implements Disposable {
  readonly #child: OwnProcess | null
  #waiting: PromiseWithResolvers<EncodeReply> | null = null

  /** `isIdle`: it takes only processor time that no other program wants. */
  constructor(isIdle: boolean) {
    this.#child = startOwnProcess<EncodeReply>(
      ENCODER_PROCESS,
      join(import.meta.dir, "encoder-process.ts"),
      (reply) => this.#waiting?.resolve(reply),
      () => this.#waiting?.reject(encodingStopped()),
    )
    if (this.#child === null || !isIdle) return
    try {
      setPriority(this.#child.pid, constants.priority.PRIORITY_LOW)
    } catch {
      // It has just ended, which the first task reports.
    }
  }

  /** The answer to a task. Throws INTERRUPTED if the process has ended. */
  async answer(task: EncodeTask): Promise<EncodeReply> {
    if (this.#child === null || this.#child.exitCode !== null || this.#child.killed) throw encodingStopped()
    this.#waiting = Promise.withResolvers<EncodeReply>()
    this.#child.ref()
    this.#child.send(task)
    try {
      return await this.#waiting.promise
    } finally {
      this.#waiting = null
      this.#child.unref()
    }
  }

  [Symbol.dispose](): void {
    this.#child?.kill("SIGKILL")
  }
}

export function encodingStopped(): AmanError {
  return new AmanError("INTERRUPTED", "encoding the project's texts was interrupted", {
    hint: "finished work is kept; it goes on when the index is next used",
  })
}
