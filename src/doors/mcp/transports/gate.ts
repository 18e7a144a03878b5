import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/server"
import { objectIn, valuesProblem } from "../../verbs/fields.ts"
import { Subscriptions } from "../resources/serve.ts"

export type GateOptions = {
  /** A call is cancelled after this many milliseconds, and the client is informed. */
  readonly maxCallMs: number
  /** True: cancelled calls are answered, too. Over HTTP, their response would otherwise stay open. */
  readonly answersCancelled: boolean
}

/** Max unanswered calls of a client; further calls are refused. */
export const MAX_OPEN = 64

/** JSON-RPC error codes of a call that took too long, and of a cancelled one as in the Language Server Protocol. */
export const TIMED_OUT = -32001
const CANCELLED = -32800

/**
 * Wraps a transport. It refuses calls with an id in use and more than MAX_OPEN calls at once, and ends calls that take
 * too long. `subscriptions/listen` is no such call, because it stays open.
 */
export class MessageGate implements Transport {
  readonly #inner: Transport
  readonly #options: GateOptions
  readonly #open = new Map<RequestId, ReturnType<typeof setTimeout>>()
  #hasInitialized = false
  /** Resources that the client listens to. */
  readonly subscriptions = new Subscriptions()
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

  /** Number of unanswered calls. */
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
    if (!("method" in message) && !this.subscriptions.close(message.id)) {
      // A call that timed out or was cancelled is answered already.
      if (message.id === undefined || !this.#close(message.id)) return
    }
    await this.#inner.send(message, options)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    if ("method" in message && "id" in message) this.#receiveRequest(message, extra)
    else if ("method" in message && message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"] as RequestId | undefined
      this.onmessage?.(message, extra)
      this.subscriptions.close(id)
      if (id !== undefined) this.#answerCancelled(id)
    } else this.onmessage?.(message, extra)
  }

  #receiveRequest(request: JSONRPCRequest, extra?: MessageExtraInfo): void {
    const { id, method } = request
    const problem = this.#problemWith(request)
    if (problem !== null) {
      const error = { code: ProtocolErrorCode.InvalidRequest, message: problem }
      // The error gets no id if a call with this id is running, because the client would take the error for that
      // call's answer.
      this.#answer({ jsonrpc: "2.0", id: this.#open.has(id) ? undefined : id, error })
      return
    }
    if (method === "initialize") this.#hasInitialized = true
    if (method === "subscriptions/listen") {
      this.subscriptions.open(request)
      this.onmessage?.(request, extra)
      return
    }
    const timer = setTimeout(() => this.#timeOut(id), this.#options.maxCallMs)
    this.#open.set(id, timer)
    this.onmessage?.(withArguments(request), extra)
  }

  #problemWith({ id, method, params }: JSONRPCRequest): string | null {
    if (method === "subscriptions/listen") return this.subscriptions.problemWith(params)
    if (this.#open.has(id)) return `call ${JSON.stringify(id)} is still running: use a new id`
    if (this.#open.size >= MAX_OPEN) return `${MAX_OPEN} calls are still running: wait for some of them`
    if (method === "initialize") return this.#hasInitialized ? "initialize may be sent only once" : null
    return valuesProblem(params)
  }

  #timeOut(id: RequestId): void {
    const seconds = Math.round(this.#options.maxCallMs / 1000)
    const reason = `the call took longer than ${seconds} s`
    this.onmessage?.({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: id, reason },
    })
    if (this.#close(id)) this.#answer({ jsonrpc: "2.0", id, error: { code: TIMED_OUT, message: reason } })
  }

  #answerCancelled(id: RequestId): void {
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

/** The request with its arguments as an object, for clients that send null, "" or JSON in a string. */
export function withArguments(request: JSONRPCRequest): JSONRPCRequest {
  const { params } = request
  if (params === undefined || !("arguments" in params)) return request
  return { ...request, params: { ...params, arguments: objectIn(params["arguments"]) } }
}
