import { AmanError } from "../base/errors.ts"
import { parseSize } from "../base/parse-size.ts"

/** Where a value was written, for the error message: "--workers" or "AMAN_WORKERS". */
export type Written = { readonly value: string | number; readonly name: string }

/** A whole number between two bounds, or USAGE. */
export function wholeNumber(written: Written, least: number, most: number): number {
  const number = typeof written.value === "number" ? written.value : plainNumber(written.value)
  if (!Number.isInteger(number) || number < least || number > most) {
    throw wrong(written, `a whole number from ${least} to ${most}`)
  }
  return number
}

/** Bytes, written as a number or as "512MB", between two bounds, or USAGE. */
export function size(written: Written, least: number, most: number): number {
  const bytes = typeof written.value === "number" ? written.value : parseSize(written.value, written.name)
  if (!Number.isSafeInteger(bytes) || bytes < least || bytes > most) {
    throw wrong(written, `a size from ${showSize(least)} to ${showSize(most)}`)
  }
  return bytes
}

/** One of a few words, or USAGE. */
export function oneOf<T extends string>(written: Written, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === written.value)
  if (found === undefined) throw wrong(written, `one of ${choices.join(", ")}`)
  return found
}

function plainNumber(text: string): number {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN
}

function showSize(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${bytes / 1024 ** power} ${["bytes", "KiB", "MiB", "GiB", "TiB"][power]}`
}

function wrong({ value, name }: Written, wanted: string): AmanError {
  return new AmanError("USAGE", `${name} must be ${wanted}, not ${JSON.stringify(value)}`)
}
