import { afterAll, expect, test } from "bun:test"
import { startEmbeddingServer } from "../../../test/embedding-server.ts"
import { AmanError } from "../../base/errors.ts"
import { complaintOf, jsonRequests, keyFor, openOpenAi, type RetryPolicy, toUnitRows } from "./clients.ts"
import { parseAddress } from "./model.ts"

const ONCE = { timeoutMs: 20_000, attempts: 1 }

test("accepts the server, its version's folder and the complete address", async () => {
  using server = startEmbeddingServer([{ name: "m" }])
  for (const path of ["", "/", "/v1", "/v1/", "/v1/embeddings"]) {
    await openOpenAi(parseAddress(server.url + path, "host"), ONCE, {}).embed("m", ["a"], null)
    expect(server.asked.at(-1)!.path).toBe("/v1/embeddings")
  }
})

test("returns vectors in the order of the texts, whatever the order of the answer", async () => {
  using server = startEmbeddingServer([{ name: "m" }])
  const openAi = openOpenAi(parseAddress(server.url, "host"), ONCE, {})
  const [first] = (await openAi.embed("m", ["refund"], 32)) as number[][]
  expect(first).toHaveLength(32)
  expect(((await openAi.embed("m", ["refund", "login"], 32)) as number[][])[0]).toEqual(first)
})

test("sends the key and keeps it out of errors", async () => {
  using server = startEmbeddingServer([{ name: "m" }])
  const openAi = openOpenAi(parseAddress(server.url, "host"), ONCE, { AMAN_OPENAI_API_KEY: "sk-1" })
  await openAi.embed("m", ["a"], null)
  expect(server.asked.at(-1)!.authorization).toBe("Bearer sk-1")
  server.fault = () => Response.json({ error: { message: "bad key sk-1" } }, { status: 401 })
  const error = await openAi.embed("m", ["a"], null).catch((thrown: AmanError) => thrown as AmanError)
  expect(`${(error as AmanError).message} ${(error as AmanError).hint}`).not.toContain("sk-1")
  expect((error as AmanError).message).toContain("requires a valid key")
})

test("never sends OPENAI_API_KEY unencrypted to another machine", () => {
  const env = { OPENAI_API_KEY: "sk-1" }
  const key = (address: string) => keyFor(parseAddress(address, "host"), env)
  expect(key("https://api.openai.com/v1")).toBe("sk-1")
  expect(key("http://localhost:8080")).toBe("sk-1")
  expect(key("http://10.0.0.1:8080")).toBe(undefined)
})

test("scales vectors to length 1", () => {
  const rows = toUnitRows(
    [
      [3, 4],
      [0, -2],
    ],
    2,
    null,
  )
  expect([...rows]).toEqual([Math.fround(0.6), Math.fround(0.8), 0, -1])
})

test("refuses invalid vectors with the reason", () => {
  const wrong: [unknown, string][] = [
    [undefined, "no vectors for 1 texts"],
    [{}, "no vectors"],
    [[], "0 vectors for 1 texts"],
    [
      [
        [1, 2],
        [1, 2],
      ],
      "2 vectors for 1 texts",
    ],
    [[[]], "vectors of 0 dimensions"],
    [["x"], "vectors of 0 dimensions"],
    [[Array(9000).fill(1)], "vectors of 9000 dimensions"],
    [[[1, null]], "a value that is not a number"],
    [[[1, Number.NaN]], "a value that is not a number"],
    [[[0, 0]], "a vector of length zero"],
    [[[1e200, 1e200]], "a vector of length zero"],
  ]
  for (const [answer, reason] of wrong) expect(() => toUnitRows(answer, 1, null)).toThrow(reason)
  expect(() => toUnitRows([[1, 2, 3]], 1, 2)).toThrow("a vector of 3 dimensions, not 2")
  expect(() => toUnitRows([[1, 2], [1]], 2, null)).toThrow("a vector of 1 dimensions, not 2")
})

type Step = (request: Request) => Response | Promise<Response>

const servers: Bun.Server<undefined>[] = []
afterAll(() => {
  for (const server of servers) server.stop(true)
})

/** A server that answers its first request by the first step, and so on; then by the last. */
function serverWith(...steps: readonly [Step, ...Step[]]): { url: string; requests: () => number } {
  let requests = 0
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: (request) => steps[Math.min(requests++, steps.length - 1)]!(request),
  })
  servers.push(server)
  return { url: `http://127.0.0.1:${server.port}/`, requests: () => requests }
}

function client(changes: Partial<RetryPolicy> = {}) {
  const waits: number[] = []
  const sleep = async (ms: number) => {
    waits.push(ms)
  }
  const policy = { timeoutMs: 20_000, attempts: 4, random: () => 1, sleep, ...changes }
  return { waits, get: jsonRequests({ name: "it", hint: "start it", secret: "key-1" }, policy) }
}

async function failureOf(promise: Promise<unknown>): Promise<AmanError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AmanError)
  return error as AmanError
}

const ok = () => Response.json("fine")
const broken = () => new Response("no", { status: 500 })

test("retries temporary failures with doubling waits", async () => {
  const { url, requests } = serverWith(broken, broken, broken, ok)
  const { waits, get } = client()
  expect(await get(url)).toBe("fine")
  expect(waits).toEqual([500, 1000, 2000])
  expect(requests()).toBe(4)
})

test("waits a random part of the doubled time", async () => {
  const { waits, get } = client({ random: () => 0.25 })
  await get(serverWith(broken, broken, ok).url)
  expect(waits).toEqual([125, 250])
})

test("reports the cause and a hint after the last attempt", async () => {
  const { url, requests } = serverWith(broken)
  const error = await failureOf(client().get(url))
  expect([error.code, error.message, error.hint]).toEqual([
    "EMBEDDER",
    "it answered with status 500",
    "start it",
  ])
  expect(requests()).toBe(4)
})

test("does not retry permanent failures", async () => {
  for (const status of [400, 401, 404]) {
    const { url, requests } = serverWith(() => new Response("{}", { status }))
    expect((await failureOf(client().get(url))).message).toContain(`${status}`)
    expect(requests()).toBe(1)
  }
})

test("waits as long as Retry-After says, at most a minute", async () => {
  const later = (after: string) => () => new Response("", { status: 429, headers: { "retry-after": after } })
  const { waits, get } = client()
  await get(serverWith(later("7"), later("9999"), later("rubbish"), ok).url)
  expect(waits).toEqual([7000, 60_000, 2000])
})

test("reports a refused connection, silence and a body that never ends", async () => {
  const gone = serverWith(ok)
  servers.at(-1)!.stop(true)
  expect((await failureOf(client().get(gone.url))).message).toBe("it refused the connection")
  const silent = serverWith(() => new Promise<Response>(() => {}))
  const impatient = client({ timeoutMs: 30, attempts: 1 })
  expect((await failureOf(impatient.get(silent.url))).message).toBe("it did not answer within 0.03 s")
  const dribbling = serverWith(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })))
  expect((await failureOf(impatient.get(dribbling.url))).message).toBe("it did not answer within 0.03 s")
})

test("does not follow redirects", async () => {
  const elsewhere = serverWith(ok)
  const { url, requests } = serverWith(() => Response.redirect(elsewhere.url))
  expect((await failureOf(client().get(url))).message).toContain("with a redirect")
  expect([requests(), elsewhere.requests()]).toEqual([1, 0])
})

test("gives up on an endless body", async () => {
  const part = new Uint8Array(8 << 20)
  const endless = serverWith(() => new Response(new ReadableStream({ pull: (c) => c.enqueue(part) })))
  const error = await failureOf(client({ attempts: 1 }).get(endless.url))
  expect(error.message).toBe("it sent an answer of more than 64 MiB")
})

test("ends at once when interrupted, also during a wait", async () => {
  const abort = new AbortController()
  const { url } = serverWith(broken)
  const { get } = client({ signal: abort.signal, sleep: async () => abort.abort() })
  expect((await failureOf(get(url))).code).toBe("INTERRUPTED")
})

test("sends no request for this machine through a proxy", async () => {
  const proxy = serverWith(() => Response.json("from the proxy"))
  const script = `
    import { jsonRequests } from ${JSON.stringify(`${import.meta.dir}/clients.ts`)}
    const get = jsonRequests({ name: "it", hint: "" }, { timeoutMs: 60_000, attempts: 1 })
    console.log(JSON.stringify(await get(process.argv[1])))`
  const child = Bun.spawn([process.execPath, "-e", script, serverWith(ok).url], {
    env: { ...process.env, HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: "", no_proxy: "" },
    stdout: "pipe",
    stderr: "inherit",
  })
  expect(await child.stdout.text()).toBe('"fine"\n')
})

const sent = JSON.stringify({ model: "m", input: ["the secret plan of the project is to be quick"] })

test("includes the server's message in one short line", () => {
  expect(complaintOf(404, '{"error":"model \\"m\\" not found,\\n try pulling it"}', sent)).toBe(
    'does not know that model or address (404): model "m" not found, try pulling it',
  )
  expect(complaintOf(429, '{"error":{"message":"slow down","type":"rate"}}', sent)).toBe(
    "refuses too many requests (429): slow down",
  )
  expect(complaintOf(500, JSON.stringify({ error: "x".repeat(1000) }), sent).length).toBeLessThan(200)
})

test("omits bodies that are no error message", () => {
  for (const body of ["", "<html>", "[]", "null", '{"error":5}', '{"error":{"message":{}}}'])
    expect(complaintOf(500, body, sent)).toBe("answered with status 500")
})

test("never repeats the project's text or the key", () => {
  const quoting = JSON.stringify({ error: "cannot embed 'the secret plan of the project is'" })
  expect(complaintOf(400, quoting, sent)).toBe("answered with status 400")
  expect(complaintOf(401, '{"error":{"message":"wrong key sk-1"}}', sent, "sk-1")).toBe(
    "requires a valid key (401)",
  )
})
