import type { z } from "zod"
import { AmanError, type ErrorCode, log, messageOf } from "../../base/index.ts"

/** The value in its shape; throws USAGE, which names the first wrong field. */
export function parseAs<T>(shape: z.ZodType<T>, body: unknown): T {
  const result = shape.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new AmanError("USAGE", `${issue?.path.join(".") || "the body"}: ${issue?.message}`)
}

/** The JSON of a request's body; throws USAGE for anything else. */
export async function jsonBody(request: Request): Promise<unknown> {
  try {
    return await request.json()
  } catch {
    throw new AmanError("USAGE", "the body of the request is not JSON")
  }
}

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  USAGE: 400,
  NOT_FOUND: 404,
  OUTSIDE_ROOT: 400,
  NOT_TEXT: 400,
  INDEX_MISSING: 409,
  TEAM: 503,
}

/** The response for an error that a use case has thrown. */
export function errorResponse(error: unknown): Response {
  if (error instanceof AmanError) {
    const { code, message, hint, isUnknownName } = error
    return failure(STATUS[code] ?? 500, code, message, hint, isUnknownName)
  }
  log.error("a request failed", { message: messageOf(error) })
  return failure(500, "IO", "aman failed; its log says more")
}

/**
 * A response in the form of every failure: {"error":{"code","message","hint","is_unknown_name"}}, the last one only for a
 * name that is unknown although the code is another than NOT_FOUND.
 */
export function failure(
  status: number,
  code: ErrorCode,
  message: string,
  hint?: string,
  isUnknownName = false,
): Response {
  const error = {
    ...{ code, message, ...(hint === undefined ? {} : { hint }) },
    ...(isUnknownName && code !== "NOT_FOUND" ? { is_unknown_name: true } : {}),
  }
  return Response.json({ error }, { status })
}
