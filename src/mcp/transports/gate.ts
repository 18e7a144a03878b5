import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js"

export type GateOptions = {
  /** A call is cancelled, and told so, after so many milliseconds. */
  readonly longestCallMs: number
  /** Over HTTP a cancelled call is answered as well: what carries its answer would stay open. */
  readonly answersCancelled: boolean
}

/** A client that sends more before it reads has to wait. */
const MOST_OPEN = 64
const CANCELLED = -32800

/** Before a transport: messages out of order, calls that are too many or take too long. */
export class Gate implements Transport {
  readonly #inner: Transport
  readonly #options: GateOptions
  readonly #open = new Map<RequestId, ReturnType<typeof setTimeout>>()
  #hasInitialized = false
  onmessage?: NonNullable<Transport["onmessage"]>
  onclose?: () => void
  onerror?: (error: Error) => void

  constructor(inner: Transport, options: GateOptions) {
    this.#inner = inner
    this.#options = options
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  /** Calls that are not answered yet. */
  get open(): number {
    return this.#open.size
  }

  isOpen(id: RequestId): boolean {
    return this.#open.has(id)
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => this.#receive(message, extra)
    this.#inner.onerror = (error) => this.onerror?.(error)
    this.#inner.onclose = () => {
      for (const timer of this.#open.values()) clearTimeout(timer)
      this.#open.clear()
      this.onclose?.()
    }
    await this.#inner.start()
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      // What was given up on is answered already.
      if (message.id === undefined || !this.#close(message.id)) return
    }
    await this.#inner.send(message, options)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    if (isJSONRPCRequest(message)) this.#receiveRequest(message, extra)
    else if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"] as RequestId | undefined
      this.onmessage?.(message, extra)
      if (id !== undefined) this.#giveUp(id)
    } else this.onmessage?.(message, extra)
  }

  #receiveRequest(request: JSONRPCRequest, extra?: MessageExtraInfo): void {
    const { id, method } = request
    const problem = this.#problemWith(request)
    if (problem !== null) {
      const error = { code: ErrorCode.InvalidRequest, message: problem }
      // An answer with the id of a call under way would be taken for that call's.
      this.#answer({ jsonrpc: "2.0", id: this.#open.has(id) ? undefined : id, error })
      return
    }
    if (method === "initialize") this.#hasInitialized = true
    const timer = setTimeout(() => this.#timeOut(id), this.#options.longestCallMs)
    this.#open.set(id, timer)
    this.onmessage?.(request, extra)
  }

  #problemWith({ id, method }: JSONRPCRequest): string | null {
    if (this.#open.has(id)) return `call ${JSON.stringify(id)} is not answered yet: give each its own id`
    if (this.#open.size >= MOST_OPEN) return `${MOST_OPEN} calls are not answered yet: wait for some of them`
    if (method === "initialize") return this.#hasInitialized ? "initialize comes once" : null
    return this.#hasInitialized || method === "ping" ? null : "initialize comes first"
  }

  #timeOut(id: RequestId): void {
    const seconds = Math.round(this.#options.longestCallMs / 1000)
    const reason = `the call took longer than ${seconds} s`
    this.onmessage?.({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: id, reason },
    })
    if (this.#close(id))
      this.#answer({ jsonrpc: "2.0", id, error: { code: ErrorCode.RequestTimeout, message: reason } })
  }

  #giveUp(id: RequestId): void {
    if (!this.#close(id) || !this.#options.answersCancelled) return
    this.#answer({ jsonrpc: "2.0", id, error: { code: CANCELLED, message: "cancelled" } })
  }

  #close(id: RequestId): boolean {
    const timer = this.#open.get(id)
    clearTimeout(timer)
    return this.#open.delete(id)
  }

  #answer(message: JSONRPCMessage): void {
    this.#inner.send(message).catch((error: unknown) => this.onerror?.(error as Error))
  }
}
