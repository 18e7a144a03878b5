import { expect, test } from "bun:test"
import fc from "fast-check"
import { type ServedModel, startEmbeddingServer } from "../../../test/embedding-server.ts"
import { AmanError } from "../../base/errors.ts"
import {
  detectModel,
  type EmbeddingSettings,
  embedderChoice,
  modelName,
  PREFERRED_MODELS,
  parseAddress,
  preferredOf,
  probeEmbedder,
  promptsOf,
} from "./model.ts"

const ONCE = { timeoutMs: 20_000, attempts: 1 }
const PATIENCE = { ask: ONCE, embed: ONCE }
const AUTO: EmbeddingSettings = { provider: "auto", model: "", dimensions: 0, host: "" }

async function detect(models: readonly ServedModel[], changes: Partial<EmbeddingSettings> = {}) {
  using server = startEmbeddingServer(models)
  return await detectModel(embedderChoice({ ...AUTO, host: server.url, ...changes }, {})!, PATIENCE)
}

test("takes the dimensions from the first vector and the window from the model's description", async () => {
  const detected = await detect([
    { name: "bge-m3:latest", digest: "sha256:0123456789abcdef", dimensions: 100 },
  ])
  expect(detected).toEqual({
    space: { provider: "ollama", model: "bge-m3:latest@0123456789ab", dimensions: 100, version: 1 },
    windowTokens: 2048,
  })
  expect(modelName(detected!.space)).toBe("bge-m3:latest")
})

test("gives another version of a model another space", async () => {
  const [one, two] = await Promise.all(
    ["aaaa", "bbbb"].map((digest) => detect([{ name: "bge-m3:latest", digest }])),
  )
  expect(one!.space).not.toEqual(two!.space)
})

test("requests the configured dimensions and refuses vectors of others", async () => {
  expect((await detect([{ name: "bge-m3" }], { dimensions: 16 }))!.space.dimensions).toBe(16)
  using server = startEmbeddingServer([{ name: "bge-m3" }])
  server.fault = ({ path }) =>
    path === "/api/embed" ? Response.json({ embeddings: [Array(64).fill(1)] }) : undefined
  const choice = embedderChoice({ ...AUTO, host: server.url, dimensions: 16 }, {})!
  expect(detectModel(choice, PATIENCE)).rejects.toThrow("a vector of 64 dimensions, not 16")
})

test("reports a missing configured model with the command that installs it", async () => {
  const error = await detect([{ name: "llama3:8b" }], { provider: "ollama", model: "bge-m3" }).catch((e) => e)
  expect(error.message).toContain("has no model bge-m3")
  expect(error.hint).toBe("run: ollama pull bge-m3")
})

test("returns null without a preferred model for provider auto, and throws for provider ollama", async () => {
  expect(await detect([{ name: "llama3:8b" }])).toBe(null)
  expect(detect([{ name: "llama3:8b" }], { provider: "ollama" })).rejects.toThrow("none of the models")
})

test("prefers the first family, then its smallest local size", () => {
  const model = (name: string, bytes = 1, isCloud = false) => ({ name, bytes, isCloud, digest: "" })
  const choose = (...models: ReturnType<typeof model>[]) => preferredOf(models, null)?.name
  expect(choose(model("bge-m3:latest"), model("nomic-embed-text:v1.5"))).toBe("nomic-embed-text:v1.5")
  expect(choose(model("qwen3-embedding:8b", 8), model("qwen3-embedding:0.6b", 1))).toBe(
    "qwen3-embedding:0.6b",
  )
  expect(choose(model("qwen3-embedding:cloud", 0, true), model("bge-m3"))).toBe("bge-m3")
  expect(choose(model("mxbai-embed-large"))).toBe(undefined)
})

test("keeps the model of the existing space while it is installed", () => {
  const models = ["qwen3-embedding:0.6b", "bge-m3:latest"].map((name) => ({
    name,
    bytes: 1,
    isCloud: false,
    digest: "",
  }))
  expect(preferredOf(models, "bge-m3:latest")?.name).toBe("bge-m3:latest")
  expect(preferredOf(models, "embeddinggemma")?.name).toBe("qwen3-embedding:0.6b")
})

test("does not load the model if the space exists already", async () => {
  using server = startEmbeddingServer([{ name: "bge-m3", digest: "aa" }])
  const choice = embedderChoice({ ...AUTO, host: server.url }, {})!
  const { space } = (await detectModel(choice, PATIENCE))!
  server.asked.length = 0
  expect((await detectModel(choice, PATIENCE, space))!.space).toEqual(space)
  expect(server.texts()).toEqual([])
  server.models = [{ name: "bge-m3", digest: "bb", dimensions: 32 }]
  expect((await detectModel(choice, PATIENCE, space))!.space.dimensions).toBe(32)
})

async function probe(models: readonly ServedModel[], changes: Partial<EmbeddingSettings> = {}) {
  using server = startEmbeddingServer(models)
  return await probeEmbedder({ ...AUTO, host: server.url, ...changes }, {})
}

test("reports a server with a preferred model", async () => {
  expect(await probe([{ name: "llama3:8b" }, { name: "bge-m3:latest", dimensions: 24 }])).toMatchObject({
    provider: "ollama",
    isReachable: true,
    version: "0.12.6",
    installed: ["llama3:8b", "bge-m3:latest"],
    model: "bge-m3:latest",
    dimensions: 24,
    failure: null,
  })
})

test("suggests how to install a model if none is usable", async () => {
  const report = await probe([{ name: "llama3:8b" }])
  expect(report).toMatchObject({ isReachable: true, model: null, hint: "run: ollama pull qwen3-embedding" })
  expect(await probe([], { model: "bge-m3" })).toMatchObject({ hint: "run: ollama pull bge-m3" })
})

test("reports an unreachable server, no configured server, and a server of OpenAI's format", async () => {
  using server = startEmbeddingServer()
  server[Symbol.dispose]()
  expect(await probeEmbedder(AUTO, { OLLAMA_HOST: server.url })).toMatchObject({
    address: server.url,
    isAutomatic: true,
    isReachable: false,
    failure: expect.stringContaining("refused"),
    hint: "start it with: ollama serve",
  })
  expect(await probeEmbedder({ ...AUTO, provider: "static" }, {})).toMatchObject({
    provider: "static",
    address: null,
  })
  expect(await probe([{ name: "m" }], { provider: "openai", model: "m" })).toMatchObject({
    provider: "openai",
    isReachable: true,
    model: "m",
    dimensions: 64,
  })
  expect(await probe([], { provider: "openai" })).toMatchObject({
    failure: expect.stringContaining("embeddings.model"),
  })
})

test("finds a known model's prompts under any tag and namespace", () => {
  const queries: Record<string, string> = {
    "qwen3-embedding:0.6b": "Instruct: ",
    "dengcao/Qwen3-Embedding-4B:Q5_K_M": "Instruct: ",
    "nomic-embed-text:latest": "search_query: ",
    "nomic-embed-text-v2-moe": "search_query: ",
    embeddinggemma: "task: ",
    "mxbai-embed-large": "Represent this sentence",
    "snowflake-arctic-embed:335m": "Represent this sentence",
    "snowflake-arctic-embed2": "query: ",
    "bge-large": "Represent this sentence",
    "multilingual-e5-large": "query: ",
  }
  for (const [model, beginning] of Object.entries(queries))
    expect([model, promptsOf(model).query.slice(0, beginning.length)]).toEqual([model, beginning])
  expect(promptsOf("nomic-embed-text").document).toBe("search_document: ")
  expect(promptsOf("qwen3-embedding").document).toBe("")
})

test("uses no prompts for bge-m3 and unknown models", () => {
  for (const model of ["bge-m3:latest", "text-embedding-3-small", "all-minilm", ""])
    expect(promptsOf(model)).toEqual({ query: "", document: "" })
})

test("prefers the models that the README lists, in its order", () => {
  expect(PREFERRED_MODELS).toEqual(["qwen3-embedding", "nomic-embed-text", "embeddinggemma", "bge-m3"])
})

const AUTO_CHOICE: EmbeddingSettings = { provider: "auto", model: "", dimensions: 0, host: "" }

function hostOf(settings: Partial<EmbeddingSettings>, env: Record<string, string> = {}): string | null {
  return embedderChoice({ ...AUTO_CHOICE, ...settings }, env)?.address.url ?? null
}

test("chooses Ollama on this machine, at OLLAMA_HOST, for provider auto", () => {
  expect(hostOf({})).toBe("http://127.0.0.1:11434")
  expect(hostOf({}, { OLLAMA_HOST: "localhost:9" })).toBe("http://localhost:9")
  expect(embedderChoice(AUTO_CHOICE, {})!.isAutomatic).toBe(true)
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
