import type { EventId, EventStore, JSONRPCMessage, StreamId } from "@modelcontextprotocol/server"

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
