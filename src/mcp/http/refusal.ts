import type { Fault } from "../transports/fault.ts"

/** Codes of JSON-RPC for what HTTP refuses; the first is that of an SDK's server, the other its "session not found". */
export const REFUSED = -32000
export const NO_SESSION = -32001

/** An HTTP error whose body is a JSON-RPC error, as clients of the protocol expect it. */
export function refusal(
  status: number,
  { code = REFUSED, message, id = null }: Partial<Fault> & { readonly message: string },
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status, headers })
}
