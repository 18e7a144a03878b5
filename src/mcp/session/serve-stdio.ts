import { serveStdio as serveMessages } from "@modelcontextprotocol/server/stdio"
import type { ServeOptions } from "../../app/project/serve-options.ts"
import { log } from "../../base/log.ts"
import { MessageGate } from "../transports/gate.ts"
import { StdioTransport } from "../transports/stdio.ts"
import { type Connection, createConnection, type RegisterOffer } from "./connection.ts"
import { Server } from "./server.ts"

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
