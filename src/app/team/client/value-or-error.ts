import { AmanError, type ErrorCode } from "../../../base/errors.ts"

/** The value of the promise, or the error of aman with which it was rejected; other codes than `code` are thrown. */
export async function valueOrError<T>(promise: Promise<T>, code?: ErrorCode): Promise<T | AmanError> {
  try {
    return await promise
  } catch (error) {
    if (error instanceof AmanError && (code === undefined || error.code === code)) return error
    throw error
  }
}
