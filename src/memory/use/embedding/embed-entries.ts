import { AmanError, type Config } from "../../../base/index.ts"
import {
  BATCH_TEXTS,
  configuredEmbedder,
  detectModel,
  type EmbedderChoice,
  type EmbeddingSpace,
  embedderChoice,
  embedPolicies,
  isSameSpace,
  sentenceEncoder,
} from "../../../index/index.ts"
import { embedAll } from "../../recall/index/vectors.ts"
import type { Memory } from "../memory.ts"
import { compare } from "../remember.ts"
import { embedderName, MAX_ENCODED, usesEncoder } from "./configured-vectors.ts"

/**
 * Computes the missing vectors of all entries with the sentence encoder or the configured embedder, and reads each note together
 * with those nearest to it; continues where an earlier call ended. Returns the embedder's name, such as "ollama nomic-embed-text:latest", and the numbers of entries
 * embedded by this call and of all entries. Throws EMBEDDER on failure; the vectors computed until then are kept.
 * `isIdle`: the encoder's process is idle, and INTERRUPTED is thrown while the machine is busy.
 */
export async function embedEntries(
  memory: Memory,
  {
    signal,
    onProgress,
    isIdle = false,
  }: {
    readonly signal: AbortSignal
    readonly onProgress?: Progress
    readonly isIdle?: boolean
  },
) {
  const { vectors } = memory.knowledge
  const isBuiltIn = memory.config.knowledge.embedder === "static"
  if (isBuiltIn) await requireEncoder(memory, { signal, onProgress, isIdle })
  using encoder = isBuiltIn ? sentenceEncoder.inProcess(isIdle) : null
  const embedder = encoder ?? (await openConfigured(memory, signal))
  const { space } = embedder
  if (!isSameSpace(vectors.space(), space)) vectors.enter(space)
  let embedded = 0
  for (;;) {
    // Entries may have changed while the previous group was embedded.
    const { index, configuredVectors } = await memory.loaded()
    throwIfAborted(signal)
    const configured = configuredVectors()
    if (configured === null || !isSameSpace(configured.space, space)) throw replacedByAnotherProcess(space)
    const missing = configured.without(BATCH_TEXTS)
    onProgress?.(configured.size, index.size)
    if (missing.length === 0) {
      await readNotes(memory, { signal, onProgress, isIdle })
      return { embedder: embedderName(space), dimensions: space.dimensions, embedded, entries: index.size }
    }
    const computed = await embedAll(embedder, missing)
    throwIfAborted(signal)
    if (!vectors.keep(space, computed)) throw replacedByAnotherProcess(space)
    for (const { id, text, blob } of computed) configured.add(id, blob, text)
    embedded += computed.length
  }
}

/** Reads the notes that were not read since their text changed, one at a time, because each is stored at once. */
async function readNotes(
  memory: Memory,
  { signal, onProgress, isIdle }: { signal: AbortSignal; onProgress: Progress | undefined; isIdle: boolean },
): Promise<void> {
  const unread = memory.config.embeddings.encoder === "off" ? [] : memory.knowledge.readings.unread()
  if (unread.length === 0) return
  using reader = sentenceEncoder.inProcess(isIdle)
  for (const [at, id] of unread.entries()) {
    throwIfAborted(signal)
    onProgress?.(at, unread.length)
    const loaded = await memory.loaded()
    const entry = loaded.entries.get(id)
    if (entry !== undefined) await compare(memory, loaded, entry, { read: reader.readPairs, waits: true })
  }
}

type Progress = (done: number, total: number) => void

/** Throws USAGE where there are no vectors to compute; of a large store, the notes are read before. */
async function requireEncoder(memory: Memory, how: Parameters<typeof readNotes>[1]): Promise<void> {
  const { config, knowledge } = memory
  if (usesEncoder(config, knowledge.count())) return
  await readNotes(memory, how)
  throw new AmanError("USAGE", "recall uses the table of word vectors, which needs no embedding run", {
    hint: `the sentence encoder takes up to ${MAX_ENCODED} entries unless embeddings.encoder is off; else: aman config set knowledge.embedder configured`,
  })
}

async function openConfigured(memory: Memory, signal: AbortSignal) {
  const choice = requireChoice(memory.config)
  const detected = await detectForMemory(choice, memory, signal)
  const retry = embedPolicies(signal).batch
  return configuredEmbedder(choice, detected, { batchSize: BATCH_TEXTS, retry })
}

function requireChoice({ embeddings }: Config): EmbedderChoice {
  const choice = embedderChoice(embeddings)
  if (choice !== null) return choice
  throw new AmanError("USAGE", "the settings embeddings.* select no embedder besides the built-in one", {
    hint: "for example: aman config set embeddings.provider ollama",
  })
}

async function detectForMemory(choice: EmbedderChoice, { knowledge }: Memory, signal: AbortSignal) {
  const detected = await detectModel(choice, embedPolicies(signal), knowledge.vectors.space())
  throwIfAborted(signal)
  if (detected !== null) return detected
  const message = `Ollama at ${choice.address.shown} has no embedding model that aman selects automatically`
  throw new AmanError("EMBEDDER", message, { hint: "run: ollama pull nomic-embed-text" })
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new AmanError("INTERRUPTED", "embedding was interrupted", {
      hint: "finished work is kept; run: aman memory embed",
    })
}

/** The error for a second process that embeds with another embedder, whose vectors replaced ours. */
function replacedByAnotherProcess(space: EmbeddingSpace): AmanError {
  const message = `another process is embedding with an embedder other than ${embedderName(space)}`
  return new AmanError("EMBEDDER", message, {
    hint: "use the same embeddings.* settings everywhere, then run: aman memory embed",
  })
}
