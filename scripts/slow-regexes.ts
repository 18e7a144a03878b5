/**
 * Finds regular expressions in the sources whose time grows faster than the length of their input. For each literal, it
 * repeats texts that the expression may match repeatedly, and compares the time for n and for 4n characters. A finding
 * is a fault only if the text that the expression reads has no maximum length; most read a few thousand characters.
 *
 *   bun scripts/slow-regexes.ts [part of a path]
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"

const SOURCES = join(import.meta.dir, "..", "src")
const LITERAL =
  /(?<=[=(,:!&|?;[{}\n]\s*|return )\/(?![*/])((?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g
/** With four times the length, quadratic growth takes 16 times as long, and linear growth 4 times. */
const SUSPICIOUS_GROWTH = 10
const LENGTH = 8_000
/** Shorter times depend more on the machine than on the expression. */
const MIN_MS = 4

const COMMON = [
  " ",
  "\t",
  "a",
  "A",
  "0",
  "-",
  "_",
  ".",
  "/",
  "*",
  "#",
  '"',
  "'",
  "(",
  "[",
  "{",
  "<",
  "\\",
  "\n",
  "\r\n",
  " \n",
  "a ",
  "a.",
  "a,",
  "aA",
  "é",
]

const only = process.argv[2] ?? ""
let count = 0
for (const path of [...new Bun.Glob("**/*.ts").scanSync(SOURCES)].sort()) {
  if (path.endsWith(".test.ts") || !path.includes(only)) continue
  const text = readFileSync(join(SOURCES, path), "utf8")
  for (const match of text.matchAll(LITERAL)) {
    const expression = compiled(match[1]!, match[2]!)
    if (expression === null) continue
    count++
    const slow = slowest(expression)
    if (slow === null) continue
    const line = text.slice(0, match.index).split("\n").length
    process.stdout.write(`${path}:${line}  ${slow}  ${match[0]}\n`)
  }
}
process.stdout.write(`${count} expressions\n`)

function compiled(source: string, flags: string): RegExp | null {
  try {
    // A sticky expression is tried at the first position only.
    return new RegExp(flags.includes("y") ? `^(?:${source})` : source, flags.replace(/[gy]/g, ""))
  } catch {
    return null
  }
}

function slowest(expression: RegExp): string | null {
  for (const pump of pumpsOf(expression.source)) {
    const few = time(expression, pump, LENGTH)
    if (few < MIN_MS / 4) {
      const many = time(expression, pump, LENGTH * 4)
      if (many < MIN_MS) continue
    }
    const once = Math.min(time(expression, pump, LENGTH), time(expression, pump, LENGTH))
    const fourfold = Math.min(time(expression, pump, LENGTH * 4), time(expression, pump, LENGTH * 4))
    if (fourfold < MIN_MS || fourfold < once * SUSPICIOUS_GROWTH) continue
    return `${JSON.stringify(pump)}: ${once.toFixed(1)} ms, ${fourfold.toFixed(1)} ms`
  }
  return null
}

function time(expression: RegExp, pump: string, length: number): number {
  const text = `${pump.repeat(Math.ceil(length / pump.length))}\u0001`
  const started = performance.now()
  expression.test(text)
  return performance.now() - started
}

/** Texts to repeat as input: common characters, the expression's own literals, and pairs of these. */
function pumpsOf(source: string): string[] {
  const own = source.match(/[A-Za-z]{2,}|[^\w\s\\]/g) ?? []
  const escapes = (source.match(/\\[wsdt]/g) ?? []).map(
    (each) => ({ w: "a", s: " ", d: "0", t: "\t" })[each[1]!]!,
  )
  const singles = [...new Set([...COMMON, ...own, ...escapes])]
  const pairs = own
    .slice(0, 12)
    .flatMap((one) => [" ", "a", "0", ...own.slice(0, 6)].map((other) => one + other))
  return [...new Set([...singles, ...pairs])]
}
