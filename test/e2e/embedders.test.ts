import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, readdirSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { type EmbeddingServer, type ServedModel, startEmbeddingServer } from "../embedding-server.ts"
import { connect, FOR_PROGRAMS } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"
import { closing } from "./opened.ts"

// Each test starts several processes and waits for seconds when an embedder is slow or is asked again.
setDefaultTimeout(60_000)

/** No file shares a word with the question, so only a model can find the right one. */
const FILES = {
  "money/refund.ts": "export function refund(order: string) {\n  return ledger.refund(order)\n}\n",
  "pets/cats.ts": "export function purr(cat: string) {\n  return cat.length\n}\n",
  "pets/dogs.ts": "export function bark(dog: string) {\n  return dog.length\n}\n",
  "sea/boats.ts": "export function sail(boat: string) {\n  return boat.length\n}\n",
}
const QUESTION = "how do we reimburse somebody"
const ANSWER = "money/refund.ts"
const NOMIC = "nomic-embed-text:latest"
const opened = closing()

function serving(models?: readonly ServedModel[], port?: number): EmbeddingServer {
  return opened(startEmbeddingServer(models, port))
}

/** A project that uses the test's server as its Ollama. */
class Shop extends Workspace {
  settings: Record<string, string>

  constructor(server: EmbeddingServer, files: Readonly<Record<string, string>> = FILES) {
    super(files)
    this.settings = { OLLAMA_HOST: server.url, AMAN_EMBEDDINGS_PROVIDER: "auto" }
    opened(this)
  }

  override get env(): Record<string, string> {
    return { ...super.env, ...this.settings }
  }

  async paths(query = QUESTION): Promise<string[]> {
    const { results } = await this.json(["search", query])
    return results.map(({ path }: { path: string }) => path)
  }

  async other() {
    return (await this.json(["status"])).embedding.other
  }
}

const whole = { share: 1, serves: true }
const notServing = expect.objectContaining({ serves: false })
const embeds = (server: EmbeddingServer) => server.asked.filter(({ path }) => /embed/.test(path))

describe("Ollama", () => {
  test("is sent nothing until the user selects it, whatever OLLAMA_HOST says", async () => {
    const server = serving()
    const shop = new Shop(server)
    shop.settings = { OLLAMA_HOST: server.url }
    expect((await shop.json(["index"])).embedding.other).toBe(null)
    await shop.paths()
    expect(server.asked).toEqual([])
    await shop.run(["config", "set", "embeddings.provider", "ollama"])
    expect((await shop.json(["index"])).embedding.other).toMatchObject({ provider: "ollama", ...whole })
    expect((await shop.paths())[0]).toBe(ANSWER)
  })

  test("is found where it listens, and its model determines the ranking", async () => {
    const server = serving()
    const shop = new Shop(server)
    const report = await shop.json(["index"])
    expect(report.embedding.other).toEqual({ provider: "ollama", model: NOMIC, dimensions: 64, ...whole })
    expect(report.notices).toEqual([])
    expect((await shop.paths())[0]).toBe(ANSWER)
    expect(server.texts().at(-1)).toBe(`search_query: ${QUESTION}`)
    const { results } = await shop.json(["search", "--explain", QUESTION])
    const { features, sum, channels } = results[0].explanation
    expect(channels.model).toBe(1)
    const shares = features.map(({ contribution }: { contribution: number }) => contribution)
    expect(shares.reduce((total: number, share: number) => total + share, 0)).toBeCloseTo(sum, 6)
    expect(features.map(({ name }: { name: string }) => name)).toContain("meaning")
    expect((await shop.json(["search", "--mode", "semantic", QUESTION])).results[0].path).toBe(ANSWER)
    // Without the model, a file with similar letters is nearer.
    shop.settings = { ...shop.settings, AMAN_EMBEDDINGS_PROVIDER: "static" }
    expect((await shop.paths())[0]).not.toBe(ANSWER)
  })

  test("is not used by the first search, and by later ones only for the query", async () => {
    const server = serving()
    const shop = new Shop(server)
    await shop.paths()
    expect(server.asked).toEqual([])
    await shop.json(["index"])
    server.asked.length = 0
    await shop.paths()
    expect(server.asked.map(({ path }) => path)).toEqual(["/api/embed"])
  })

  test("without a preferred model is ignored quietly if it was not requested", async () => {
    const server = serving([{ name: "llama3:8b" }, { name: "qwen3-embedding:cloud", remote_host: "x" }])
    const shop = new Shop(server)
    const report = await shop.json(["index"])
    expect([report.embedding.other, report.notices]).toEqual([null, []])
    expect(server.texts()).toEqual([])
  })

  test("without the requested model leads to a message with the command", async () => {
    const shop = new Shop(serving())
    shop.settings = {
      ...shop.settings,
      AMAN_EMBEDDINGS_PROVIDER: "ollama",
      AMAN_EMBEDDINGS_MODEL: "bge-m3",
    }
    const { notices } = await shop.json(["index"])
    expect(notices.join()).toContain(
      "has no model bge-m3; the built-in vectors are used (run: ollama pull bge-m3)",
    )
    expect((await shop.json(["status"])).notices).toEqual(notices)
    expect(await shop.paths("purr cat")).toContain("pets/cats.ts")
  })

  test("is ignored quietly if it is not running and was not requested", async () => {
    const server = serving()
    const shop = new Shop(server)
    server[Symbol.dispose]()
    expect((await shop.json(["index"])).notices).toEqual([])
  })

  test("embeds only an edit, and nothing for a file that comes back", async () => {
    const server = serving()
    const shop = new Shop(server)
    await shop.json(["index"])
    server.asked.length = 0
    shop.write("pets/cats.ts", "export function hiss(cat: string) {\n  return cat.length\n}\n")
    expect(await shop.paths("hiss")).toContain("pets/cats.ts")
    expect(await shop.other()).toEqual(notServing)
    await shop.json(["index"])
    expect(server.texts()).toEqual([expect.stringContaining("hiss")])
    shop.write("pets/cats.ts", FILES["pets/cats.ts"])
    await shop.json(["index"])
    expect(server.texts()).toHaveLength(1)
    expect(await shop.other()).toMatchObject(whole)
  })

  test("is used by a server in the background, and status reports the progress", async () => {
    const server = serving()
    const shop = new Shop(server)
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js")
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js")
    const client = new Client({ name: "test", version: "1" })
    const options = {
      command: binary,
      args: ["serve", ...FOR_PROGRAMS],
      cwd: shop.project,
      env: shop.env,
      stderr: "ignore",
    }
    await client.connect(new StdioClientTransport({ ...options, stderr: "ignore" }))
    const status = async () =>
      // biome-ignore lint/suspicious/noExplicitAny: the part it names
      ((await client.callTool({ name: "status", arguments: {} })) as any).structuredContent.embedding
    while ((await status()).other?.serves !== true) await Bun.sleep(50)
    const answer = await client.callTool({ name: "search", arguments: { query: QUESTION } })
    expect(JSON.stringify(answer).indexOf(ANSWER)).toBeGreaterThan(0)
    shop.write("pets/new.ts", "export const parrot = 1\n")
    // A query checks for edits unless the last check was a moment ago.
    while (!server.texts().some((text) => text.includes("parrot = 1")))
      await client.callTool({ name: "search", arguments: { query: "parrot" } })
    while ((await status()).other?.serves !== true) await Bun.sleep(50)
    await client.close()
  })
})

describe("a query is ranked without a failing embedder and says why, if", () => {
  const faults: Record<string, [EmbeddingServer["fault"], string]> = {
    "an error of the server": [
      () => Response.json({ error: "out of memory" }, { status: 500 }),
      "status 500: out of memory",
    ],
    "a model that is gone": [
      () => Response.json({ error: 'model "x" not found' }, { status: 404 }),
      "does not know that model",
    ],
    "another dimension": [
      () => Response.json({ embeddings: [Array(32).fill(1)] }),
      "a vector of 32 dimensions, not 64",
    ],
    "a vector of zeros": [
      () => Response.json({ embeddings: [Array(64).fill(0)] }),
      "a vector of length zero",
    ],
    "a vector of nothing": [
      () => Response.json({ embeddings: [Array(64).fill(null)] }),
      "a value that is not a number",
    ],
    "half an answer": [() => new Response('{"embeddings": [[0.1'), "not JSON"],
    "another address": [() => Response.redirect("http://127.0.0.1:9/"), "with a redirect"],
    "no answer": [() => new Promise<Response>(() => {}), "did not answer within 2 s"],
  }
  test(Object.keys(faults).join(", "), async () => {
    const server = serving()
    const shop = new Shop(server)
    await shop.json(["index"])
    const { settings } = shop
    shop.settings = { ...settings, AMAN_EMBEDDINGS_PROVIDER: "static" }
    const builtIn = await shop.paths()
    shop.settings = settings
    for (const [fault, reason] of Object.values(faults)) {
      server.fault = fault
      const { results, notices } = await shop.json(["search", QUESTION])
      expect(notices).toEqual([expect.stringContaining(reason), ...notices.slice(1)])
      expect(notices[0]).toContain("the built-in vectors were used instead")
      expect(results.map(({ path }: { path: string }) => path)).toEqual(builtIn)
    }
  })

  test("no server listens", async () => {
    const server = serving()
    const shop = new Shop(server)
    await shop.json(["index"])
    server[Symbol.dispose]()
    const { results, notices } = await shop.json(["search", QUESTION])
    expect(notices[0]).toContain("refused the connection (start it with: ollama serve)")
    expect(results.length).toBeGreaterThan(0)
    const { notices: indexNotices } = await shop.json(["index"])
    expect(indexNotices.join()).toContain("refused the connection; the built-in vectors are used")
  })

  test("all index files are truncated during its request; they are rebuilt afterwards", async () => {
    const server = serving()
    const shop = new Shop(server)
    await shop.json(["index", "--force"])
    const dir = join(shop.project, ".aman")
    const derived = () => readdirSync(dir).filter((name) => /^(keyword|vectors)-/.test(name))
    expect(derived().length).toBeGreaterThan(1)
    await using client = await connect(shop)
    const search = async (query: string) => (await client.call("search", { query })).structuredContent.results
    expect((await search(QUESTION))[0].path).toBe(ANSWER)
    server.fault = ({ path }) => {
      if (/embed/.test(path)) for (const name of derived()) truncateSync(join(dir, name), 0)
      return undefined
    }
    expect(await search("who may bark at a cat")).toEqual(expect.any(Array))
    server.fault = null
    while ((await search(QUESTION))[0]?.path !== ANSWER) await Bun.sleep(50)
  })
})

describe("while the space is built", () => {
  const MANY = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [
      `src/m${n}.ts`,
      `export function word${n}() {\n  return ${n}\n}\n`,
    ]),
  )

  test("an embedder that fails and returns is resumed, and the built-in space is used meanwhile", async () => {
    const server = serving()
    const shop = new Shop(server, { ...MANY, ...FILES })
    server.fault = () => (server.texts().length > 100 ? new Response("", { status: 500 }) : undefined)
    const { notices, embedding } = await shop.json(["index"])
    expect(notices.join()).toContain("answered with status 500; the built-in vectors are used")
    expect(embedding.other.serves).toBe(false)
    expect(embedding.other.share).toBeGreaterThan(0.2)
    expect(embedding.other.share).toBeLessThan(0.6)
    server.asked.length = 0
    expect((await shop.paths("word17"))[0]).toBe("src/m17.ts")
    expect(server.asked).toEqual([])
    server.fault = null
    const again = await shop.json(["index"])
    expect([again.embedding.other, again.notices]).toEqual([expect.objectContaining(whole), []])
    expect(server.texts().length).toBeLessThan(204 - 64)
    expect((await shop.paths())[0]).toBe(ANSWER)
  })

  test("Ctrl-C keeps the vectors so far, and no text is embedded twice", async () => {
    const server = serving()
    const shop = new Shop(server, MANY)
    server.fault = () => (server.texts().length < 70 ? undefined : new Promise(() => {}))
    const child = Bun.spawn([binary, "index"], {
      cwd: shop.project,
      env: shop.env,
      stdout: "ignore",
      stderr: "pipe",
    })
    while (server.texts().length < 70) await Bun.sleep(5)
    child.kill("SIGINT")
    server.fault = null
    expect(await child.exited).toBe(130)
    expect((await shop.other()).serves).toBe(false)
    await shop.json(["index"])
    expect(await shop.other()).toMatchObject(whole)
    const texts = server.texts().filter((text) => text.includes("word"))
    // The answer to the batch in progress may have been lost with the interrupted process.
    expect(texts.length).toBeLessThanOrEqual(200 + 32)
    expect(new Set(texts).size).toBe(200)
  })

  test("a killed process is resumed as well", async () => {
    const server = serving()
    const shop = new Shop(server, MANY)
    server.fault = () => (server.texts().length < 70 ? undefined : new Promise(() => {}))
    const child = Bun.spawn([binary, "index", "--quiet"], { cwd: shop.project, env: shop.env })
    while (server.texts().length < 70) await Bun.sleep(5)
    child.kill("SIGKILL")
    server.fault = null
    await child.exited
    expect((await shop.paths("word17"))[0]).toBe("src/m17.ts")
    await shop.json(["index"])
    expect(await shop.other()).toMatchObject(whole)
    expect(server.texts().length).toBeLessThanOrEqual(200 + 32 + 3)
  })

  test("edits are found while a slow model still embeds", async () => {
    const server = serving()
    const shop = new Shop(server, MANY)
    server.fault = () => Bun.sleep(200).then(() => undefined)
    const child = Bun.spawn([binary, "index", "--quiet"], { cwd: shop.project, env: shop.env })
    while (server.texts().length < 40) await Bun.sleep(5)
    shop.write("src/new.ts", "export const cockatoo = 1\n")
    expect((await shop.paths("cockatoo"))[0]).toBe("src/new.ts")
    server.fault = null
    expect(await child.exited).toBe(0)
    expect(await shop.other()).toMatchObject(whole)
    expect(server.texts().some((text) => text.includes("cockatoo"))).toBe(true)
  })

  test("concurrent projects share cached vectors", async () => {
    const server = serving()
    const shop = new Shop(server, MANY)
    const roots = ["one", "two", "three"].map((name) => join(shop.dir, name))
    for (const root of roots) cpSync(shop.project, root, { recursive: true })
    const reports = await Promise.all(roots.map((root) => shop.json(["index", "--root", root])))
    for (const { embedding, notices } of reports)
      expect([embedding.other, notices]).toEqual([expect.objectContaining(whole), []])
    server.asked.length = 0
    expect((await shop.json(["index"])).embedding.other).toMatchObject(whole)
    expect(server.texts()).toEqual(["aman"])
  })

  test("a text that the model cannot embed costs only its own vector", async () => {
    const server = serving()
    const shop = new Shop(server, MANY)
    server.fault = ({ body }) =>
      JSON.stringify(body).includes("word33(") ? Response.json({ error: "NaN" }, { status: 500 }) : undefined
    const { embedding, notices } = await shop.json(["index"])
    expect([embedding.other, notices]).toEqual([expect.objectContaining(whole), []])
    expect((await shop.paths("word33"))[0]).toBe("src/m33.ts")
  })

  test("another embedder is built while the built-in space is used, and the old space is dropped", async () => {
    const server = serving([{ name: NOMIC }, { name: "bge-m3:latest", dimensions: 48 }])
    const shop = new Shop(server)
    await shop.json(["index"])
    shop.settings = { ...shop.settings, AMAN_EMBEDDINGS_MODEL: "bge-m3" }
    expect(await shop.other()).toMatchObject({ model: NOMIC, serves: false })
    server.fault = ({ body }) =>
      [body.input].flat().some((text) => text?.includes("bark"))
        ? new Response("", { status: 503 })
        : undefined
    expect((await shop.paths())[0]).not.toBe(ANSWER)
    server.fault = null
    const { embedding } = await shop.json(["index"])
    expect(embedding.other).toMatchObject({ model: "bge-m3:latest", dimensions: 48, ...whole })
    expect((await shop.paths())[0]).toBe(ANSWER)
    // With the previous model again, all vectors come from the cache.
    server.asked.length = 0
    shop.settings = { ...shop.settings, AMAN_EMBEDDINGS_MODEL: "nomic-embed-text" }
    await shop.json(["index"])
    expect(await shop.other()).toMatchObject({ model: NOMIC, ...whole })
    expect(server.texts()).toEqual(["aman"])
  })

  test("a clone uses the cached vectors of the original", async () => {
    const server = serving()
    const shop = new Shop(server)
    await shop.json(["index"])
    const clone = join(shop.dir, "clone")
    for (const path of Object.keys(FILES)) cpSync(join(shop.project, path), join(clone, path))
    server.asked.length = 0
    const { embedding } = await shop.json(["index", "--root", clone])
    expect(embedding.other).toMatchObject(whole)
    expect(server.texts()).toEqual(["aman"])
  })
})

describe("data sent to other machines", () => {
  test("nothing is sent when OLLAMA_HOST names another machine, unless configured for aman", async () => {
    const server = serving()
    const shop = new Shop(server)
    // Another address of the same server, which does not look like this machine.
    shop.settings = { OLLAMA_HOST: `http://[::ffff:127.0.0.1]:${server.port}` }
    await shop.json(["index"])
    await shop.paths()
    expect(server.asked).toEqual([])
    shop.settings = { ...shop.settings, AMAN_EMBEDDINGS_PROVIDER: "ollama" }
    expect((await shop.json(["index"])).embedding.other).toMatchObject(whole)
  })

  test("a project cannot name an address", async () => {
    const server = serving()
    const shop = new Shop(server)
    shop.settings = {}
    shop.write(".aman.yaml", `embeddings:\n  provider: openai\n  model: any\n  host: ${server.url}\n`)
    await shop.run(["index"])
    await shop.run(["search", QUESTION])
    expect(server.asked).toEqual([])
  })

  test("no secret of the project is sent, and no proxy is used", async () => {
    const server = serving()
    const proxy = serving()
    const shop = new Shop(server, { ...FILES, ".env": "TOKEN=hush-1\n", id_rsa: "hush-2\n" })
    shop.settings = { ...shop.settings, HTTP_PROXY: proxy.url, http_proxy: proxy.url }
    expect((await shop.json(["index"])).embedding.other).toMatchObject(whole)
    await shop.paths()
    expect(server.texts().join()).not.toContain("hush")
    expect(proxy.asked).toEqual([])
  })
})

describe("a server that speaks OpenAI's format", () => {
  const KEY = "sk-very-secret"

  function client(server: EmbeddingServer): Shop {
    const shop = new Shop(server)
    shop.settings = {
      AMAN_EMBEDDINGS_PROVIDER: "openai",
      AMAN_EMBEDDINGS_HOST: `${server.url}/v1`,
      AMAN_EMBEDDINGS_MODEL: "any",
      AMAN_OPENAI_API_KEY: KEY,
      AMAN_LOG: "debug",
    }
    return shop
  }

  test("builds the space with the requested dimensions and ranks", async () => {
    const server = serving([{ name: "any", dimensions: 96 }])
    const shop = client(server)
    shop.settings = { ...shop.settings, AMAN_EMBEDDINGS_DIMENSIONS: "80" }
    const { embedding } = await shop.json(["index"])
    expect(embedding.other).toEqual({ provider: "openai", model: "any", dimensions: 80, ...whole })
    expect((await shop.paths())[0]).toBe(ANSWER)
    expect(new Set(server.asked.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${KEY}`]),
    )
    expect(new Set(embeds(server).map(({ body }) => body.dimensions))).toEqual(new Set([80]))
  })

  test("is asked again when it allows after too many requests", async () => {
    const server = serving([{ name: "any" }])
    const shop = client(server)
    server.fault = ({ body }) =>
      [body.input].flat().length > 1 && embeds(server).length < 4
        ? new Response("", { status: 429, headers: { "retry-after": "1" } })
        : undefined
    expect((await shop.json(["index"])).embedding.other).toMatchObject(whole)
  })

  test("never has its key in any output, whatever the server answers", async () => {
    const server = serving([{ name: "any" }])
    const shop = client(server)
    server.fault = () => Response.json({ error: { message: `${KEY} is wrong` } }, { status: 401 })
    const ran = await shop.run(["index", "--verbose"])
    expect(ran.stderr).toContain("requires a valid key (401)")
    const status = await shop.run(["status"])
    expect(ran.code + status.code).toBe(0)
    expect([ran, status].map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain(KEY)
  })

  test("is not asked without its address or model, and the next step is given", async () => {
    const server = serving([{ name: "any" }])
    const shop = client(server)
    shop.settings = { ...shop.settings, AMAN_EMBEDDINGS_MODEL: "" }
    expect((await shop.json(["index"])).notices.join()).toContain("needs embeddings.model")
    expect(server.asked).toEqual([])
  })
})
