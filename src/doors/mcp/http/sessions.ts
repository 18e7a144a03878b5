import { randomUUID } from "node:crypto"
import type { EventId, EventStore, JSONRPCMessage, StreamId, Transport } from "@modelcontextprotocol/server"
import { log } from "../../../base/index.ts"
import type { Connection } from "../session/session.ts"
import type { MessageGate } from "../transports/gate.ts"

/** One client of a server over HTTP. */
export type HttpSession = {
  readonly id: string
  /**
   * Index of the token that the session was opened with; requests with another token do not find the session.
   */
  readonly owner: number
  readonly gate: MessageGate
  readonly connection: Connection
  /** Number of open streams on which the client listens. */
  listening: number
  /** Time of its last request, in ms of a monotonic clock. */
  seenAt: number
}

type SessionsOptions = {
  /** Max sessions of all owners together. */
  readonly max: number
  /** Number of accepted tokens; with several, each may have half of the sessions. */
  readonly owners: number
  /** A session without requests for this long is closed, unless a call is running or a stream is open. */
  readonly idleMs: number
  readonly now: () => number
}

/**
 * When there is no room for a new session, one that was idle for a minute may be closed; its client must
 * initialize again.
 */
const MIN_IDLE_TO_CLOSE_MS = 60_000

/**
 * Sessions of an HTTP server. With several tokens, each may have at most half of the sessions. When there
 * is no room for a new session, the longest idle session of the same token is closed.
 */
export class Sessions<S extends HttpSession> {
  readonly #max: number
  readonly #maxPerOwner: number
  readonly #idleMs: number
  readonly #now: () => number
  readonly #byId = new Map<string, S>()
  readonly #timer: ReturnType<typeof setInterval>
  /** Number of sessions being opened, per owner; they count towards the limits. */
  readonly #opening = new Map<number, number>()

  constructor(options: SessionsOptions) {
    this.#max = options.max
    this.#maxPerOwner = options.owners > 1 ? Math.max(1, Math.floor(options.max / 2)) : options.max
    this.#idleMs = options.idleMs
    this.#now = options.now
    this.#timer = setInterval(() => this.#expire(), Math.min(30_000, options.idleMs / 2))
    this.#timer.unref()
  }

  /** Number of sessions open or being opened, of one owner or of all. */
  count(owner?: number): number {
    const open = [...this.#byId.values()].filter((session) => owner === undefined || session.owner === owner)
    const opening = [...this.#opening].filter(([of]) => owner === undefined || of === owner)
    return opening.reduce((sum, [, count]) => sum + count, open.length)
  }

  find(id: string, owner: number): S | null {
    const session = this.#byId.get(id)
    if (session === undefined || session.owner !== owner) return null
    session.seenAt = this.#now()
    return session
  }

  /** Adds a session; null if the limit is reached and none is idle. */
  async add(owner: number, make: () => Promise<S>): Promise<S | null> {
    if (!this.#hasRoom(owner)) this.#expire()
    if (!this.#hasRoom(owner)) this.#closeIdlest(owner)
    if (!this.#hasRoom(owner)) return null
    this.#opening.set(owner, (this.#opening.get(owner) ?? 0) + 1)
    try {
      const session = await make()
      this.#byId.set(session.id, session)
      return session
    } finally {
      this.#opening.set(owner, this.#opening.get(owner)! - 1)
    }
  }

  /** The limit that refuses a new session of this owner: the limit per owner if it is reached, otherwise the total limit. */
  limitFor(owner: number): number {
    return this.count(owner) >= this.#maxPerOwner ? this.#maxPerOwner : this.#max
  }

  async remove(id: string): Promise<void> {
    const session = this.#byId.get(id)
    if (session === undefined) return
    this.#byId.delete(id)
    await session.connection[Symbol.asyncDispose]()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.allSettled([...this.#byId.keys()].map((id) => this.remove(id)))
  }

  #hasRoom(owner: number): boolean {
    return this.count() < this.#max && this.count(owner) < this.#maxPerOwner
  }

  #expire(): void {
    for (const { id } of this.#idleFor(this.#idleMs)) void this.remove(id)
  }

  /** Closes only a session of this owner, because one token must not end the sessions of another. */
  #closeIdlest(owner: number): void {
    const ofOwner = this.#idleFor(MIN_IDLE_TO_CLOSE_MS).filter((session) => session.owner === owner)
    const [idlest] = ofOwner.sort((a, b) => a.seenAt - b.seenAt)
    if (idlest === undefined) return
    log.info("an idle session was closed for a new one")
    void this.remove(idlest.id)
  }

  #idleFor(ms: number): S[] {
    const now = this.#now()
    return [...this.#byId.values()].filter(
      ({ gate, listening, seenAt }) => gate.open === 0 && listening === 0 && now - seenAt >= ms,
    )
  }
}

type Event = { readonly stream: StreamId; readonly message: JSONRPCMessage; readonly size: number }

/** The latest messages of a session, for a client that reconnects and asks for those it missed. */
export class EventLog implements EventStore {
  readonly #maxCharacters: number
  readonly #events = new Map<EventId, Event>()
  #size = 0
  #count = 0

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  async storeEvent(stream: StreamId, message: JSONRPCMessage): Promise<EventId> {
    const id = String(++this.#count)
    const size = JSON.stringify(message).length
    this.#events.set(id, { stream, message, size })
    this.#size += size
    for (const [oldest, event] of this.#events) {
      if (this.#size <= this.#maxCharacters) break
      this.#events.delete(oldest)
      this.#size -= event.size
    }
    return id
  }

  async getStreamIdForEventId(id: EventId): Promise<StreamId | undefined> {
    return this.#events.get(id)?.stream
  }

  async replayEventsAfter(
    last: EventId,
    { send }: { send: (id: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const stream = this.#events.get(last)?.stream
    if (stream === undefined) throw new Error("that event is no longer stored")
    for (const [id, event] of this.#events) {
      const isLater = Number(id) > Number(last) && event.stream === stream
      // An event that only opens a stream has no message.
      if (isLater && "jsonrpc" in event.message) await send(id, event.message)
    }
    return stream
  }
}

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
