import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"

/** Why a message is none; `id` as far as it can be told. */
export type Fault = {
  readonly id: string | number | null
  readonly code: number
  readonly message: string
}

/** Of a value that is JSON and no JSON-RPC message. */
export function faultOf(value: unknown): Fault {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null
  const isId = typeof id === "string" || Number.isSafeInteger(id)
  return {
    id: isId ? (id as string | number) : null,
    code: ErrorCode.InvalidRequest,
    message: "not a JSON-RPC 2.0 message",
  }
}
