import { expect, test } from "bun:test"
import fc from "fast-check"
import { AmanError } from "../../base/errors.ts"
import { type EmbeddingSettings, embedderChoice, parseAddress } from "./choice.ts"

const AUTO: EmbeddingSettings = { provider: "auto", model: "", dimensions: 0, host: "" }

function hostOf(settings: Partial<EmbeddingSettings>, env: Record<string, string> = {}): string | null {
  return embedderChoice({ ...AUTO, ...settings }, env)?.address.url ?? null
}

test("chooses Ollama on this machine, at OLLAMA_HOST, for provider auto", () => {
  expect(hostOf({})).toBe("http://127.0.0.1:11434")
  expect(hostOf({}, { OLLAMA_HOST: "localhost:9" })).toBe("http://localhost:9")
  expect(embedderChoice(AUTO, {})!.isAutomatic).toBe(true)
})

test("never chooses another machine for provider auto", () => {
  for (const host of ["10.0.0.1", "https://ollama.com", "localhost.example.com"])
    expect(hostOf({}, { OLLAMA_HOST: host })).toBe(null)
})

test("chooses another machine that the user named", () => {
  expect(hostOf({ provider: "ollama" }, { OLLAMA_HOST: "10.0.0.1" })).toBe("http://10.0.0.1:11434")
  expect(hostOf({ host: "10.0.0.1" })).toBe("http://10.0.0.1:11434")
  expect(hostOf({ host: "10.0.0.1" }, { OLLAMA_HOST: "10.0.0.2" })).toBe("http://10.0.0.1:11434")
})

test("chooses no server for provider static", () => {
  expect(hostOf({ provider: "static", host: "10.0.0.1" })).toBe(null)
})

test("requires address and model for provider openai", () => {
  const named = { provider: "openai", host: "https://example.com/v1", model: "m" } as const
  expect(hostOf(named)).toBe("https://example.com/v1")
  expect(() => hostOf({ ...named, host: "" })).toThrow("needs an address")
  expect(() => hostOf({ ...named, host: "example.com" })).toThrow("needs an address")
  expect(() => hostOf({ ...named, model: "" })).toThrow("needs embeddings.model")
})

test("parses every form of OLLAMA_HOST", () => {
  const forms: Record<string, string> = {
    "": "http://127.0.0.1:11434",
    "  ": "http://127.0.0.1:11434",
    localhost: "http://localhost:11434",
    "example.com": "http://example.com:11434",
    "example.com:56789": "http://example.com:56789",
    ":8080": "http://127.0.0.1:8080",
    "192.168.1.5": "http://192.168.1.5:11434",
    "http://example.com": "http://example.com",
    "https://example.com/": "https://example.com",
    "https://example.com:8443/ollama/": "https://example.com:8443/ollama",
    "[::1]": "http://[::1]:11434",
    "[::1]:99": "http://[::1]:99",
    "::1": "http://[::1]:11434",
    '"127.0.0.1:1234"': "http://127.0.0.1:1234",
    "0.0.0.0": "http://127.0.0.1:11434",
    "0.0.0.0:80": "http://127.0.0.1",
    "[::]:7000": "http://127.0.0.1:7000",
  }
  for (const [written, url] of Object.entries(forms)) {
    expect([written, parseAddress(written, "OLLAMA_HOST").url]).toEqual([written, url])
  }
})

test("recognises only this machine as loopback", () => {
  const local = ["", "localhost:1", "127.0.0.1", "127.9.9.9", "[::1]:5", "0.0.0.0", "http://localhost/api"]
  const other = ["example.com", "127.0.0.1.example.com", "localhost.example.com", "10.0.0.1", "[fe80::1]"]
  for (const written of local)
    expect([written, parseAddress(written, "x").isLoopback]).toEqual([written, true])
  for (const written of other)
    expect([written, parseAddress(written, "x").isLoopback]).toEqual([written, false])
})

test("keeps a password in the URL but not in the displayed address", () => {
  const address = parseAddress("http://me:secret@localhost:9/x", "x")
  expect(address.url).toBe("http://me:secret@localhost:9/x")
  expect(address.shown).toBe("http://localhost:9/x")
})

test("returns an address or a USAGE error for random input, without repeating the input", () => {
  expect(() => parseAddress("ftp://example.com", "OLLAMA_HOST")).toThrow("OLLAMA_HOST is not the address")
  fc.assert(
    fc.property(fc.string(), (written) => {
      try {
        const { url } = parseAddress(written, "OLLAMA_HOST")
        expect(parseAddress(url, "OLLAMA_HOST").url).toBe(url)
      } catch (error) {
        expect(error).toBeInstanceOf(AmanError)
        expect((error as Error).message).toBe("OLLAMA_HOST is not the address of a server")
      }
    }),
  )
})
