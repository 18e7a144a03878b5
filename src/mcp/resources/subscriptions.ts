import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { AmanError } from "../../base/errors.ts"

const MOST = 1000

/** What one client wants to hear of. `check` throws for what is no resource. */
export class Subscriptions {
  readonly #server: Server
  readonly #uris = new Set<string>()

  constructor(server: Server, check: (uri: string) => Promise<unknown> | unknown = () => {}) {
    this.#server = server
    server.registerCapabilities({ resources: { subscribe: true, listChanged: true } })
    server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
      if (this.#uris.size >= MOST) throw new AmanError("USAGE", `no more than ${MOST} subscriptions`)
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

  /** That resource says something else now. */
  tell(uri: string): void {
    if (this.#uris.has(uri)) this.#server.sendResourceUpdated({ uri }).catch(() => {})
  }

  /** There are other resources now. */
  tellList(): void {
    this.#server.sendResourceListChanged().catch(() => {})
  }
}
