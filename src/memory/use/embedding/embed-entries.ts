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
 * with those nearest to it; continues where an earlier call ended. Returns the embedder's name, such as "ollama
 * nomic-embed-text:latest", null if recall uses the table of word vectors; the numbers of entries embedded by this call, of all
 * entries, and of notes read. Throws EMBEDDER on failure; what was computed until then is kept.
 * `isIdle`: the encoder's process is idle, and INTERRUPTED is thrown while the machine is busy.
 */
export async function embedEntries(memory: Memory, how: EmbedOptions) {
  const { config, knowledge } = memory
  const isBuiltIn = config.knowledge.embedder === "static"
  const usesTable = isBuiltIn && !usesEncoder(config, knowledge.count())
  if (usesTable && config.embeddings.encoder === "off") throw nothingToEmbed()
  const none = { embedder: null, dimensions: null, embedded: 0 }
  const embedded = usesTable
    ? { ...none, entries: (await memory.loaded()).index.size }
    : await embedAllEntries(memory, isBuiltIn, how)
  return { ...embedded, read: await readNotes(memory, how) }
}

type EmbedOptions = {
  readonly signal: AbortSignal
  readonly onProgress?: Progress
  readonly isIdle?: boolean
}

async function embedAllEntries(
  memory: Memory,
  isBuiltIn: boolean,
  { signal, onProgress, isIdle = false }: EmbedOptions,
) {
  const { vectors } = memory.knowledge
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
    if (missing.length === 0)
      return { embedder: embedderName(space), dimensions: space.dimensions, embedded, entries: index.size }
    const computed = await embedAll(embedder, missing)
    throwIfAborted(signal)
    if (!vectors.keep(space, computed)) throw replacedByAnotherProcess(space)
    for (const { id, text, blob } of computed) configured.add(id, blob, text)
    embedded += computed.length
  }
}

/** Reads the notes that were not read since they changed, one at a time, because each is stored at once; returns their number. */
async function readNotes(
  memory: Memory,
  { signal, onProgress, isIdle = false }: EmbedOptions,
): Promise<number> {
  const isOff = memory.config.embeddings.encoder === "off"
  const unread = isOff ? [] : memory.knowledge.readings.unread()
  if (unread.length === 0) return 0
  using reader = sentenceEncoder.inProcess(isIdle)
  for (const [at, id] of unread.entries()) {
    throwIfAborted(signal)
    onProgress?.(at, unread.length)
    const loaded = await memory.loaded()
    const entry = loaded.entries.get(id)
    if (entry !== undefined) await compare(memory, loaded, entry, { read: reader.readPairs, waits: true })
  }
  return unread.length
}

type Progress = (done: number, total: number) => void

function nothingToEmbed(): AmanError {
  return new AmanError("USAGE", "recall uses the table of word vectors, which needs no embedding run", {
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
