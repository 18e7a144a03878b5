import { constants, setPriority } from "node:os"
import { join } from "node:path"
import { AmanError } from "../../base/index.ts"
import { type OwnProcess, startOwnProcess } from "../../text/index.ts"

/** Texts for the process of encoder-process.ts, of each of which at most `tokens` word pieces count, and its answer. */
export type EncodeTask = Readonly<{ texts: readonly string[]; tokens: number; of: "code" | "memories" }>
export type EncodeReply = { readonly rows: readonly Uint8Array[] }

/** The argument with which aman starts itself to encode texts. */
const ENCODER_PROCESS = "encode-texts"

/** A process that encodes texts, one task at a time. */
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

  /** The rows of the texts. Throws INTERRUPTED if the process has ended. */
  async rows(task: EncodeTask): Promise<readonly Uint8Array[]> {
    if (this.#child === null || this.#child.exitCode !== null || this.#child.killed) throw encodingStopped()
    this.#waiting = Promise.withResolvers<EncodeReply>()
    this.#child.ref()
    this.#child.send(task)
    try {
      return (await this.#waiting.promise).rows
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
