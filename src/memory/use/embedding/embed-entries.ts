import { AmanError, type Config } from "../../../base/index.ts"
import {
  BATCH_TEXTS,
  type ConfiguredEmbedder,
  configuredEmbedder,
  detectModel,
  type EmbedderChoice,
  embedderChoice,
  embedPolicies,
  isSameSpace,
} from "../../../index/index.ts"
import { embedTexts, type UnembeddedEntry } from "../../recall/index/vectors.ts"
import type { Memory } from "../memory.ts"
import { embedderName } from "./configured-vectors.ts"

/**
 * Computes the missing vectors of all entries with the configured embedder; continues where an earlier call ended. Returns
 * the embedder's name, such as "ollama nomic-embed-text:latest", and the numbers of entries embedded by this call and of
 * all entries. Throws EMBEDDER on failure; the vectors computed until then are kept.
 */
export async function embedEntries(
  memory: Memory,
  {
    signal,
    onProgress,
  }: { readonly signal: AbortSignal; readonly onProgress?: (done: number, total: number) => void },
) {
  const { vectors } = memory.knowledge
  const choice = requireChoice(memory.config)
  const detected = await detectForMemory(choice, memory, signal)
  const { space } = detected
  if (!isSameSpace(vectors.space(), space)) vectors.enter(space)
  const retry = embedPolicies(signal).batch
  const embedder = configuredEmbedder(choice, detected, { batchSize: BATCH_TEXTS, retry })
  let embedded = 0
  for (;;) {
    // Entries may have changed while the previous group was embedded.
    const { index } = await memory.loaded()
    throwIfAborted(signal)
    const { configured } = index
    if (configured === null || !isSameSpace(configured.space, space)) throw replacedByAnotherProcess(space)
    const missing = configured.without(BATCH_TEXTS)
    onProgress?.(configured.size, index.size)
    if (missing.length === 0)
      return { embedder: embedderName(space), dimensions: space.dimensions, embedded, entries: index.size }
    const computed = await embedGroup(embedder, missing)
    throwIfAborted(signal)
    if (!vectors.keep(space, computed)) throw replacedByAnotherProcess(space)
    for (const { id, text, blob } of computed) configured.add(id, blob, text)
    embedded += computed.length
  }
}

function requireChoice({ knowledge, embeddings }: Config): EmbedderChoice {
  if (knowledge.embedder === "static")
    throw new AmanError("USAGE", "recall uses the built-in vectors, which need no embedding run", {
      hint: "to use another embedder: aman config set knowledge.embedder configured",
    })
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

async function embedGroup(embedder: ConfiguredEmbedder, group: readonly UnembeddedEntry[]) {
  const { rows } = await embedTexts(
    embedder,
    group.flatMap(({ stretches }) => stretches),
  )
  let at = 0
  return group.map(({ id, text, stretches }) => {
    const from = at
    at += stretches.length * embedder.space.dimensions
    return { id, text, blob: new Uint8Array(rows.slice(from, at).buffer) }
  })
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new AmanError("INTERRUPTED", "embedding was interrupted", {
      hint: "finished work is kept; run: aman memory embed",
    })
}

/** The error for a second process that embeds with another embedder, whose vectors replaced ours. */
function replacedByAnotherProcess(space: ConfiguredEmbedder["space"]): AmanError {
  const message = `another process is embedding with an embedder other than ${embedderName(space)}`
  return new AmanError("EMBEDDER", message, {
    hint: "use the same embeddings.* settings everywhere, then run: aman memory embed",
  })
}
