import { type JSONRPCMessage, ProtocolErrorCode, parseJSONRPCMessage } from "@modelcontextprotocol/server"

/** JSON-RPC error codes that the SDK sends with HTTP errors: "server error" and "session not found". */
export const REFUSED = -32000
export const NO_SESSION = -32001

/** HTTP error with a JSON-RPC error as body, as the protocol requires. */
export function refusal(
  status: number,
  { code = REFUSED, message, id = null }: Partial<MessageFault> & { readonly message: string },
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status, headers })
}

/** Why a message is invalid; `id` is null if it cannot be determined. */
export type MessageFault = {
  readonly id: string | number | null
  readonly code: number
  readonly message: string
}

const MAX_IN_BATCH = 100

/** The messages of a request's body, which may be a batch; or the refusal of the request. */
export function messagesIn(value: unknown): readonly JSONRPCMessage[] | Response {
  const values = Array.isArray(value) ? value : [value]
  if (values.length === 0 || values.length > MAX_IN_BATCH)
    return refusal(400, {
      code: ProtocolErrorCode.InvalidRequest,
      message: `a batch must have 1 to ${MAX_IN_BATCH} messages`,
    })
  const messages: JSONRPCMessage[] = []
  for (const each of values) {
    const message = messageIn(each)
    if (message === null) return refusal(400, faultOf(each))
    messages.push(message)
  }
  return messages
}

/** The JSON value as a message; null if it is none. `params: null` counts as absent, because some clients send it. */
export function messageIn(value: unknown): JSONRPCMessage | null {
  const isNull = typeof value === "object" && value !== null && "params" in value && value.params === null
  try {
    return parseJSONRPCMessage(isNull ? { ...value, params: undefined } : value)
  } catch {
    return null
  }
}

/** The fault to report for a JSON value that is not a valid JSON-RPC message. */
export function faultOf(value: unknown): MessageFault {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null
  const isId = typeof id === "string" || Number.isSafeInteger(id)
  return {
    id: isId ? (id as string | number) : null,
    code: ProtocolErrorCode.InvalidRequest,
    message: "not a JSON-RPC 2.0 message",
  }
}

/**
 * The response with a body that begins with `first`. `onEnd` is called when either side ends the stream; the text that it
 * returns is sent as the last part.
 */
export function withEnd(
  response: Response,
  first: Uint8Array | null,
  onEnd: () => string | undefined,
): Response {
  const events = response.body!.getReader()
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      if (first !== null) stream.enqueue(first)
    },
    async pull(stream) {
      const { done, value } = await events.read().catch(() => ({ done: true, value: undefined }))
      if (!done) {
        stream.enqueue(value)
        return
      }
      const last = onEnd()
      if (last !== undefined) stream.enqueue(new TextEncoder().encode(last))
      stream.close()
    },
    async cancel(reason) {
      onEnd()
      await events.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
