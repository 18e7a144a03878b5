import { MEMORY_SPACE, openMemoryEncoder, SCALE } from "../../../packages/encoder/index.ts"
import { glossOf } from "../../text/index.ts"
import type { Embedder } from "../embed/port.ts"
import { encodingStopped, TextEncoding } from "./encode-texts.ts"
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

/**
 * The encoder of memories as an embedder, 5 ms of processor time per sentence. `inProcess`: in a process of its own; if it
 * is idle, it takes only time that no other program wants, and throws INTERRUPTED while the machine is busy.
 */
export const sentenceEncoder = {
  ...onThisThread,
  inProcess(isIdle: boolean): Embedder & Disposable {
    const encoding = new TextEncoding(isIdle)
    const embedChunks: Embedder["embedChunks"] = async (inputs) => {
      if (isIdle && isMachineBusy()) throw encodingStopped()
      const texts = inputs.map(({ text }) => glossOf(text))
      const rows = await encoding.rows({ texts, tokens: TOKENS, of: "memories" })
      return Float32Array.from(Buffer.concat(rows), (byte) => ((byte << 24) >> 24) / SCALE)
    }
    return { ...onThisThread, embedChunks, [Symbol.dispose]: () => encoding[Symbol.dispose]() }
  },
}
