import { expect, test } from "bun:test"
import { choiceOf, type EmbeddingSettings } from "./choice.ts"

const AUTO: EmbeddingSettings = { provider: "auto", model: "", dimensions: 0, host: "" }

function hostOf(settings: Partial<EmbeddingSettings>, env: Record<string, string> = {}): string | null {
  return choiceOf({ ...AUTO, ...settings }, env)?.address.url ?? null
}

test("by itself it asks Ollama on this machine, where OLLAMA_HOST says", () => {
  expect(hostOf({})).toBe("http://127.0.0.1:11434")
  expect(hostOf({}, { OLLAMA_HOST: "localhost:9" })).toBe("http://localhost:9")
  expect(choiceOf(AUTO, {})!.isAutomatic).toBe(true)
})

test("by itself it never asks another machine", () => {
  for (const host of ["10.0.0.1", "https://ollama.com", "localhost.example.com"])
    expect(hostOf({}, { OLLAMA_HOST: host })).toBe(null)
})

test("another machine is asked when the user named it", () => {
  expect(hostOf({ provider: "ollama" }, { OLLAMA_HOST: "10.0.0.1" })).toBe("http://10.0.0.1:11434")
  expect(hostOf({ host: "10.0.0.1" })).toBe("http://10.0.0.1:11434")
  expect(hostOf({ host: "10.0.0.1" }, { OLLAMA_HOST: "10.0.0.2" })).toBe("http://10.0.0.1:11434")
})

test("static asks nobody", () => {
  expect(hostOf({ provider: "static", host: "10.0.0.1" })).toBe(null)
})

test("an openai server must be named, and its model", () => {
  const named = { provider: "openai", host: "https://example.com/v1", model: "m" } as const
  expect(hostOf(named)).toBe("https://example.com/v1")
  expect(() => hostOf({ ...named, host: "" })).toThrow("needs its address")
  expect(() => hostOf({ ...named, host: "example.com" })).toThrow("needs its address")
  expect(() => hostOf({ ...named, model: "" })).toThrow("needs embeddings.model")
})
