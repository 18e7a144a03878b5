import { type JSONRPCMessage, ProtocolErrorCode, type Transport } from "@modelcontextprotocol/server"
import { serveStdio as serveMessages } from "@modelcontextprotocol/server/stdio"
import type { ServeOptions } from "../../../ask/index.ts"
import { log } from "../../../base/index.ts"
import { faultOf, type MessageFault, messageIn } from "../http/responses.ts"
import { MessageGate } from "../transports/gate.ts"
import { Server } from "./server.ts"
import { type Connection, createConnection, type RegisterOffer } from "./session.ts"

// Limit of one message: an entry has at most a million characters, and one message may contain a hundred entries.
const MAX_BYTES = 64 * 1024 ** 2
// Time limit of a call. Clients give up long before it.
const MAX_CALL_MS = 30 * 60_000

/**
 * Serves one client over stdin and stdout until stdin closes; opens nothing before it is connected. `offer` registers the
 * tools.
 */
export async function serveStdio(
  options: ServeOptions,
  signal: AbortSignal,
  offer: RegisterOffer,
): Promise<void> {
  await using server = new Server(options, { followsClient: true })
  const ended = endOfInput(signal)
  const transport = new MessageGate(new StdioTransport(process.stdin, process.stdout, MAX_BYTES), {
    maxCallMs: MAX_CALL_MS,
    answersCancelled: false,
  })
  const connections = new AsyncDisposableStack()
  const { subscriptions } = transport
  // The client's first message decides which versions are spoken; after a probe, it may decide again.
  const connectionFor = (era: "legacy" | "modern"): Connection =>
    connections.use(createConnection(server, offer, { era, subscriptions }))
  const handle = serveMessages(({ era }) => connectionFor(era).mcp, {
    transport,
    onerror: (error) => log.warn("protocol error", { kind: error.name }),
  })
  await ended
  await server.calls.settle()
  await handle.close()
  await connections.disposeAsync()
  log.info("disconnected")
}

/** Resolves when stdin closes, which means the client is gone; the transport does not check that. */
function endOfInput(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once("end", resolve)
    process.stdin.once("close", resolve)
    process.stdout.once("error", () => resolve())
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}

const NEWLINE = 10
const MAX_IN_BATCH = 100
/** Max bytes of answers waiting for the client to read; beyond that, reading from it is paused. */
const MAX_WAITING_BYTES = 16 * 1024 ** 2

type StdioOutput = NodeJS.WritableStream & { readonly writableLength: number }

/**
 * A transport over stdin and stdout with one message per line. Used in place of the SDK's transport, which stops at a
 * line that is too long and ignores invalid messages; this one answers both with an error and goes on.
 */
export class StdioTransport implements Transport {
  readonly #input: NodeJS.ReadableStream
  readonly #output: StdioOutput
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #size = 0
  #isTooLong = false
  onmessage?: NonNullable<Transport["onmessage"]>
  onclose?: () => void
  onerror?: (error: Error) => void

  constructor(input: NodeJS.ReadableStream, output: StdioOutput, maxBytes: number) {
    this.#input = input
    this.#output = output
    this.#maxBytes = maxBytes
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#take)
    this.#input.on("error", this.#fail)
  }

  async close(): Promise<void> {
    this.#input.off("data", this.#take)
    this.#input.off("error", this.#fail)
    this.#parts = []
    this.onclose?.()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(message)
  }

  readonly #fail = (error: Error) => this.onerror?.(error)

  readonly #take = (bytes: Buffer) => {
    let rest = bytes
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#keep(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      this.#endLine()
    }
    this.#keep(rest)
  }

  #keep(part: Buffer): void {
    this.#size += part.length
    if (this.#size > this.#maxBytes) {
      this.#isTooLong = true
      this.#parts = []
    } else if (part.length > 0) this.#parts.push(part)
  }

  #endLine(): void {
    const line = this.#isTooLong ? null : Buffer.concat(this.#parts).toString()
    this.#parts = []
    this.#size = 0
    this.#isTooLong = false
    if (line === null) {
      const message = `a message must not exceed ${this.#maxBytes} bytes`
      this.#refuse({ id: null, code: ProtocolErrorCode.InvalidRequest, message })
    } else if (line.trim() !== "") this.#read(line)
  }

  #read(line: string): void {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      this.#refuse({ id: null, code: ProtocolErrorCode.ParseError, message: "not JSON" })
      return
    }
    if (!Array.isArray(value)) this.#receive(value)
    else if (value.length > 0 && value.length <= MAX_IN_BATCH) for (const each of value) this.#receive(each)
    else {
      const message = `a batch must have 1 to ${MAX_IN_BATCH} messages`
      this.#refuse({ id: null, code: ProtocolErrorCode.InvalidRequest, message })
    }
  }

  #receive(value: unknown): void {
    const message = messageIn(value)
    if (message === null) this.#refuse(faultOf(value))
    else this.onmessage?.(message)
  }

  #refuse({ id, code, message }: MessageFault): void {
    this.onerror?.(new Error(message))
    void this.#write({ jsonrpc: "2.0", id, error: { code, message } })
  }

  #write(message: object): Promise<void> {
    return new Promise((resolve) => {
      if (this.#output.write(`${JSON.stringify(message)}\n`)) return resolve()
      this.#output.once("drain", () => {
        this.#input.resume()
        resolve()
      })
      if (this.#output.writableLength > MAX_WAITING_BYTES) this.#input.pause()
    })
  }
}
