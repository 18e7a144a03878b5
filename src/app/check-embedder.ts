import type { Config } from "../config/load.ts"
import { type EmbedderReport, probeEmbedder } from "../embed/probe.ts"
import type { Check } from "./doctor.ts"

const name = "embedder"

/** Whether the embedder beside the built-in one answers, and has a model. Downloads none. */
export async function checkEmbedder({ embeddings }: Config): Promise<Check[]> {
  const builtIn: Check = { name, state: "ok", message: `${embeddings.static} is built in`, next: null }
  const report = await probeEmbedder(embeddings)
  return report.provider === "static" && report.failure === null ? [builtIn] : [builtIn, checkOf(report)]
}

function checkOf(report: EmbedderReport): Check {
  const { isAutomatic, isReachable, address, model, dimensions, failure, hint } = report
  if (failure === null) {
    return {
      name,
      state: "ok",
      message: `${whoOf(report)} has ${model}, ${dimensions} dimensions`,
      next: null,
    }
  }
  // What nobody asked for need not be there.
  if (isAutomatic && !isReachable) {
    return { name, state: "ok", message: `no Ollama at ${address}: it is not needed`, next: null }
  }
  const message = isReachable ? `${whoOf(report)}: ${failure}` : failure
  return { name, state: isAutomatic ? "warning" : "error", message, next: hint }
}

function whoOf({ provider, version, address }: EmbedderReport): string {
  if (provider === "openai") return `the server at ${address}`
  return `Ollama ${version === null ? "" : `${version} `}at ${address}`
}
