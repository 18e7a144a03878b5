import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { AmanError } from "../../base/errors.ts"

const MAX_SUBSCRIPTIONS = 1000

/** Subscriptions of one client. `check` throws for a URI that is no resource. */
export class Subscriptions {
  readonly #server: Server
  readonly #uris = new Set<string>()

  constructor(server: Server, check: (uri: string) => Promise<unknown> | unknown = () => {}) {
    this.#server = server
    server.registerCapabilities({ resources: { subscribe: true, listChanged: true } })
    server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
      if (this.#uris.size >= MAX_SUBSCRIPTIONS)
        throw new AmanError("USAGE", `no more than ${MAX_SUBSCRIPTIONS} subscriptions`)
      await check(uri)
      this.#uris.add(uri)
      return {}
    })
    server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
      this.#uris.delete(uri)
      return {}
    })
  }

  get uris(): ReadonlySet<string> {
    return this.#uris
  }

  /** Notifies the client that this resource has changed. */
  notifyUpdated(uri: string): void {
    if (this.#uris.has(uri)) this.#server.sendResourceUpdated({ uri }).catch(() => {})
  }

  /** Notifies the client that the list of resources has changed. */
  notifyListChanged(): void {
    this.#server.sendResourceListChanged().catch(() => {})
  }
}
