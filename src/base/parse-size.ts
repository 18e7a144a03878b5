import { AmanError } from "./errors.ts"

const KILO = 1000
const KIBI = 1024

// As on every other command line: "MB" counts in thousands, "MiB" and a bare "M" in 1,024s.
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["b", 1],
  ...["k", "m", "g", "t"].flatMap((letter, i): [string, number][] => [
    [letter, KIBI ** (i + 1)],
    [`${letter}ib`, KIBI ** (i + 1)],
    [`${letter}b`, KILO ** (i + 1)],
  ]),
])

/** Bytes of "512MB", "2GiB", "1.5 g" or "1048576"; throws USAGE naming `what` for anything else. */
export function parseSize(text: string, what = "size"): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text)
  const unit = match ? UNITS.get(match[2]!.toLowerCase()) : undefined
  const bytes = match && unit ? Math.floor(Number(match[1]) * unit) : Number.NaN
  if (!Number.isSafeInteger(bytes)) {
    throw new AmanError("USAGE", `${what} is not a size: ${JSON.stringify(text)}`, {
      hint: 'write a number with a unit, such as "512MB" or "2GiB"',
    })
  }
  return bytes
}
