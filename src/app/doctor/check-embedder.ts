import type { Config } from "../../config/load.ts"
import { type EmbedderReport, probeEmbedder, unusedOllama } from "../../embed/configured/model.ts"
import type { Check } from "./doctor.ts"

const name = "embedder"

/** Checks that the configured embedder answers and has its model. Downloads nothing. */
export async function checkEmbedder({ embeddings }: Config): Promise<Check[]> {
  const builtIn: Check = { name, state: "ok", message: `${embeddings.static} is built in`, next: null }
  if (embeddings.provider === "static") return [builtIn, ...(await checkUnused(embeddings.host))]
  const report = await probeEmbedder(embeddings)
  return report.provider === "static" && report.failure === null ? [builtIn] : [builtIn, checkOf(report)]
}

/** Reports an embedder that is available but not used because it was not selected. */
async function checkUnused(host: string): Promise<Check[]> {
  const next = "to use it: aman config set embeddings.provider ollama"
  if (host !== "") {
    const message = "embeddings.host has no effect, because embeddings.provider is static"
    return [{ name, state: "warning", message, next }]
  }
  const found = await unusedOllama()
  if (found === null) return []
  const message = `Ollama ${found.version} at ${found.address} is available but not used, so nothing is sent to it`
  return [{ name, state: "ok", message, next }]
}

function checkOf(report: EmbedderReport): Check {
  const { isAutomatic, isReachable, address, model, dimensions, failure, hint } = report
  if (failure === null) {
    return {
      name,
      state: "ok",
      message: `${serverNameOf(report)} has ${model}, ${dimensions} dimensions`,
      next: null,
    }
  }
  // An embedder that was not configured need not be available.
  if (isAutomatic && !isReachable) {
    return { name, state: "ok", message: `no Ollama at ${address}; none is needed`, next: null }
  }
  const message = isReachable ? `${serverNameOf(report)}: ${failure}` : failure
  return { name, state: isAutomatic ? "warning" : "error", message, next: hint }
}

function serverNameOf({ provider, version, address }: EmbedderReport): string {
  if (provider === "openai") return `the server at ${address}`
  return `Ollama ${version === null ? "" : `${version} `}at ${address}`
}
