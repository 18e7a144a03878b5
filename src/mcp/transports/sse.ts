import { randomUUID } from "node:crypto"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"

// Proxies and clients take a stream that is silent for long for dead.
const PULSE_MS = 15_000

/**
 * HTTP with server-sent events, as the protocol had it before 2025-03-26: one stream carries all answers, and messages
 * are posted to the address that its first event names. The SDK's own is made for Node's responses.
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
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.#stream = stream
      },
      cancel: () => this.close(),
    })
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
      // The client closed it.
    }
    this.onclose?.()
  }

  #write(text: string): void {
    this.#stream?.enqueue(this.#encoder.encode(text))
  }
}
