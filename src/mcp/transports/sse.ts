import { randomUUID } from "node:crypto"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server"
import { log } from "../../base/log.ts"

// Interval of pulses in ms, because proxies and clients close a stream without data after some time.
const PULSE_MS = 15_000
/**
 * Max bytes waiting to be read by a client; if there are more, the client is not reading and its stream is
 * closed.
 */
const MAX_WAITING_BYTES = 8 * 1024 ** 2

/**
 * HTTP with server-sent events, the transport before protocol version 2025-03-26: one stream carries all
 * answers, and messages are posted to the address named by its first event. Written here because the SDK's own
 * transport needs Node's response objects.
 */
export class SseTransport implements Transport {
  readonly sessionId: string = randomUUID()
  readonly response: Response
  readonly #encoder = new TextEncoder()
  readonly #pulse: ReturnType<typeof setInterval>
  #stream: ReadableStreamDefaultController<Uint8Array> | null = null
  onmessage?: NonNullable<Transport["onmessage"]>
  onclose?: () => void
  onerror?: (error: Error) => void

  constructor(path: string) {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (stream) => {
          this.#stream = stream
        },
        cancel: () => this.close(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
    )
    this.response = new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" },
    })
    this.#write(`event: endpoint\ndata: ${path}?sessionId=${this.sessionId}\n\n`)
    this.#pulse = setInterval(() => this.#write(": still here\n\n"), PULSE_MS)
    this.#pulse.unref()
  }

  async start(): Promise<void> {}

  receive(message: JSONRPCMessage): void {
    this.onmessage?.(message)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }

  async close(): Promise<void> {
    const stream = this.#stream
    if (stream === null) return
    this.#stream = null
    clearInterval(this.#pulse)
    try {
      stream.close()
    } catch {
      // The client has already closed it.
    }
    this.onclose?.()
  }

  #write(text: string): void {
    if (this.#stream === null) return
    this.#stream.enqueue(this.#encoder.encode(text))
    if ((this.#stream.desiredSize ?? 0) > 0) return
    log.warn("a stream was closed because its client does not read", { waiting: MAX_WAITING_BYTES })
    void this.close()
  }
}
