/**
 * encoder: a small sentence encoder, for questions in a user's words (models/encoder.md). `kernel.ts` is AssemblyScript, of
 * which models/encoder.wasm is compiled.
 */

export { chunkText, nameText, pathText } from "./chunk-text.ts"
export {
  aligned,
  ENCODER_SPACE,
  isEncoderSpace,
  MAGIC,
  MEMORY_SPACE,
  MIDDLE,
  openEncoder,
  openMemoryEncoder,
  openReader,
  READER,
  SCALE,
  toRow,
} from "./encoder.ts"
