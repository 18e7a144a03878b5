import type { JSONRPCRequest, RequestId } from "@modelcontextprotocol/server"

/** Max URIs that all open `subscriptions/listen` of a connection name. */
const MAX_URIS = 1000

/** Resources that clients listen to with `subscriptions/listen`, by the id of the request. */
export class Listens {
  readonly #uris = new Map<unknown, readonly string[]>()

  open({ id, params }: JSONRPCRequest): void {
    this.#uris.set(id, urisIn(params))
  }

  /** Returns true if the request was open. `id` may also be a key that the caller chose. */
  close(id: RequestId | undefined): boolean {
    return this.#uris.delete(id)
  }

  get uris(): ReadonlySet<string> {
    return new Set([...this.#uris.values()].flat())
  }

  /** Error message for a request that names more URIs than are left; else null. */
  problemWith(params: JSONRPCRequest["params"]): string | null {
    const count = [...this.#uris.values()].reduce((sum, { length }) => sum + length, urisIn(params).length)
    return count > MAX_URIS ? `no more than ${MAX_URIS} resources can be listened to` : null
  }
}

function urisIn(params: JSONRPCRequest["params"]): readonly string[] {
  const { resourceSubscriptions: uris = [] } = (params?.["notifications"] ?? {}) as {
    readonly resourceSubscriptions?: unknown
  }
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : []
}
