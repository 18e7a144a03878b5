import {
  MEMORY_SPACE,
  openMemoryEncoder,
  openReader,
  READER,
  SCALE,
} from "../../../packages/encoder/index.ts"
import { glossOf } from "../../text/index.ts"
import type { Embedder } from "../embed/port.ts"
import { encodingStopped, type NotePair, TextEncoding } from "./encode-texts.ts"
import { isMachineBusy } from "./machine.ts"

/** Word pieces that the encoder reads of a sentence or a question. */
const TOKENS = 96

const onThisThread: Embedder = {
  space: MEMORY_SPACE,
  async embedChunks(inputs) {
    const rows = new Float32Array(inputs.length * MEMORY_SPACE.dimensions)
    for (const [i, { text }] of inputs.entries())
      rows.set(await onThisThread.embedQuery(text), i * MEMORY_SPACE.dimensions)
    return rows
  },
  embedQuery: async (text) => (await openMemoryEncoder()).encode(glossOf(text), TOKENS),
}

/** Computes, for each pair of notes, the log odds that the newer one makes the older one untrue. */
export type ReadPairs = (pairs: readonly NotePair[]) => Promise<readonly number[]>

/** An embedder, and a reader of two notes. */
type NoteReader = Embedder & { readonly readPairs: ReadPairs }

/**
 * The encoder of memories as an embedder, 5 ms of processor time per sentence, with the reader of two notes, 25 ms per pair.
 * `inProcess`: both in a process of its own; if it is idle, it takes only time that no other program wants, and throws
 * INTERRUPTED while the machine is busy.
 */
export const sentenceEncoder = {
  ...onThisThread,
  reader: READER,
  async readPairs(pairs: readonly NotePair[]): Promise<readonly number[]> {
    const reader = pairs.length === 0 ? null : await openReader()
    const odds: number[] = []
    for (const [older, newer] of pairs) {
      odds.push(reader!.odds(older, newer))
      // A server answers others between two pairs.
      await Bun.sleep(0)
    }
    return odds
  },
  inProcess(isIdle: boolean): NoteReader & Disposable {
    const encoding = new TextEncoding(isIdle)
    const answer: TextEncoding["answer"] = async (task) => {
      if (isIdle && isMachineBusy()) throw encodingStopped()
      return encoding.answer(task)
    }
    const embedChunks: Embedder["embedChunks"] = async (inputs) => {
      const texts = inputs.map(({ text }) => glossOf(text))
      const { rows } = await answer({ texts, tokens: TOKENS, of: "memories" })
      return Float32Array.from(Buffer.concat(rows), (byte) => ((byte << 24) >> 24) / SCALE)
    }
    return {
      ...onThisThread,
      embedChunks,
      readPairs: async (pairs) => (await answer({ pairs })).odds,
      [Symbol.dispose]: () => encoding[Symbol.dispose](),
    }
  },
}
