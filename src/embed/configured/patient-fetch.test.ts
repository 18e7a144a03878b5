import { afterAll, expect, test } from "bun:test"
import { AmanError } from "../../base/errors.ts"
import { complaintOf, type Patience, patientFetch } from "./patient-fetch.ts"

type Step = (request: Request) => Response | Promise<Response>

const servers: Bun.Server<undefined>[] = []
afterAll(() => {
  for (const server of servers) server.stop(true)
})

/** A server that answers its first request by the first step, and so on; then by the last. */
function serving(...steps: readonly [Step, ...Step[]]): { url: string; asked: () => number } {
  let asked = 0
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: (request) => steps[Math.min(asked++, steps.length - 1)]!(request),
  })
  servers.push(server)
  return { url: `http://127.0.0.1:${server.port}/`, asked: () => asked }
}

function client(changes: Partial<Patience> = {}) {
  const waits: number[] = []
  const sleep = async (ms: number) => {
    waits.push(ms)
  }
  const patience = { timeoutMs: 20_000, attempts: 4, random: () => 1, sleep, ...changes }
  return { waits, get: patientFetch({ name: "it", remedy: "start it", secret: "key-1" }, patience) }
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

test("what may pass is tried again, with waits that double", async () => {
  const { url, asked } = serving(broken, broken, broken, ok)
  const { waits, get } = client()
  expect(await (await get(url)).json()).toBe("fine")
  expect(waits).toEqual([500, 1000, 2000])
  expect(asked()).toBe(4)
})

test("the waits are random parts of those", async () => {
  const { waits, get } = client({ random: () => 0.25 })
  await get(serving(broken, broken, ok).url)
  expect(waits).toEqual([125, 250])
})

test("after the last attempt it says what happened and what to do", async () => {
  const { url, asked } = serving(broken)
  const error = await failureOf(client().get(url))
  expect([error.code, error.message, error.hint]).toEqual([
    "EMBEDDER",
    "it answered with status 500",
    "start it",
  ])
  expect(asked()).toBe(4)
})

test("what cannot pass is not tried again", async () => {
  for (const status of [400, 401, 404]) {
    const { url, asked } = serving(() => new Response("{}", { status }))
    expect((await failureOf(client().get(url))).message).toContain(`${status}`)
    expect(asked()).toBe(1)
  }
})

test("a server that asks for time gets it, up to a minute", async () => {
  const later = (after: string) => () => new Response("", { status: 429, headers: { "retry-after": after } })
  const { waits, get } = client()
  await get(serving(later("7"), later("9999"), later("rubbish"), ok).url)
  expect(waits).toEqual([7000, 60_000, 2000])
})

test("refused, silent, dying in the middle of a body: each with its cause", async () => {
  const gone = serving(ok)
  servers.at(-1)!.stop(true)
  expect((await failureOf(client().get(gone.url))).message).toBe("it refused the connection")
  const silent = serving(() => new Promise<Response>(() => {}))
  const impatient = client({ timeoutMs: 30, attempts: 1 })
  expect((await failureOf(impatient.get(silent.url))).message).toBe("it did not answer within 0.03 s")
  const dribbling = serving(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })))
  expect((await failureOf(impatient.get(dribbling.url))).message).toBe("it did not answer within 0.03 s")
})

test("a redirect is not followed", async () => {
  const elsewhere = serving(ok)
  const { url, asked } = serving(() => Response.redirect(elsewhere.url))
  expect((await failureOf(client().get(url))).message).toContain("another address")
  expect([asked(), elsewhere.asked()]).toEqual([1, 0])
})

test("an endless body is given up", async () => {
  const part = new Uint8Array(8 << 20)
  const endless = serving(() => new Response(new ReadableStream({ pull: (c) => c.enqueue(part) })))
  const error = await failureOf(client({ attempts: 1 }).get(endless.url))
  expect(error.message).toBe("it could not be reached")
})

test("an interruption ends it at once, waits included", async () => {
  const abort = new AbortController()
  const { url } = serving(broken)
  const { get } = client({ signal: abort.signal, sleep: async () => abort.abort() })
  expect((await failureOf(get(url))).code).toBe("INTERRUPTED")
})

test("no proxy sees what is sent to this machine", async () => {
  const proxy = serving(() => Response.json("from the proxy"))
  const script = `
    import { patientFetch } from ${JSON.stringify(`${import.meta.dir}/patient-fetch.ts`)}
    const get = patientFetch({ name: "it", remedy: "" }, { timeoutMs: 5000, attempts: 1 })
    console.log(await (await get(process.argv[1])).text())`
  const child = Bun.spawn([process.execPath, "-e", script, serving(ok).url], {
    env: { ...process.env, HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: "", no_proxy: "" },
    stdout: "pipe",
    stderr: "inherit",
  })
  expect(await child.stdout.text()).toBe('"fine"\n')
})

const sent = JSON.stringify({ model: "m", input: ["the secret plan of the project is to be quick"] })

test("a server's own words are passed on, in one short line", () => {
  expect(complaintOf(404, '{"error":"model \\"m\\" not found,\\n try pulling it"}', sent)).toBe(
    'does not have that model or address (404): model "m" not found, try pulling it',
  )
  expect(complaintOf(429, '{"error":{"message":"slow down","type":"rate"}}', sent)).toBe(
    "is asked too often (429): slow down",
  )
  expect(complaintOf(500, JSON.stringify({ error: "x".repeat(1000) }), sent).length).toBeLessThan(200)
})

test("what is no such answer is not shown", () => {
  for (const body of ["", "<html>", "[]", "null", '{"error":5}', '{"error":{"message":{}}}'])
    expect(complaintOf(500, body, sent)).toBe("answered with status 500")
})

test("neither the project's text nor the key is repeated", () => {
  const quoting = JSON.stringify({ error: "cannot embed 'the secret plan of the project is'" })
  expect(complaintOf(400, quoting, sent)).toBe("answered with status 400")
  expect(complaintOf(401, '{"error":{"message":"wrong key sk-1"}}', sent, "sk-1")).toBe(
    "wants a key, or another one (401)",
  )
})
