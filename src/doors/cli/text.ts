import type { ConfiguredEmbedding } from "../../base/index.ts"
import type { RemovedIndex } from "../../index/index.ts"

/**
 * Makes file content and names safe for a terminal: replaces escape sequences and other control characters,
 * which could move the cursor, change the title or hide text, and the bidirectional overrides of "Trojan
 * Source" (CVE-2021-42574). Tabs and line breaks stay.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}")
}

/** Like `printable`, for text that must stay on one line: a path, a name, a message. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t\u2028\u2029]/g, " ")
}

// Max width of a text, because longer lines are hard to read even on a wide terminal.
const MAX_WIDTH = 100

/** Text broken between words so that it fits the columns; every line but the first begins with the indent. */
export function wrap(text: string, columns: number, indent = 0): string {
  const width = Math.max(20, Math.min(columns, MAX_WIDTH) - indent)
  return Bun.wrapAnsi(text, width, { trim: true }).replaceAll("\n", `\n${" ".repeat(indent)}`)
}

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const

/** 1234567 as "1,234,567", independent of the locale. */
export function groupDigits(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",")
}

/** Count and noun: "1 file", "3 files". */
export function plural(value: number, noun: string): string {
  return `${groupDigits(value)} ${value === 1 ? noun : `${noun.replace(/(?<![aeou])y$/, "ie").replace(/ch$/, "che")}s`}`
}

/** A duration for people: "800 ms", "1.5 s", "12 s", "3 min 20 s", "15 min". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = `${Math.floor(seconds / 60)} min`
  return seconds % 60 === 0 ? minutes : `${minutes} ${seconds % 60} s`
}

/** "just now", "3 minutes ago", "2 days ago"; from 30 days on the date. `time` is in ISO format. */
export function ago(time: string, now = Date.now()): string {
  const minutes = Math.floor((now - Date.parse(time)) / 60_000)
  // The time may lie in the future, if the clock was set back.
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${plural(minutes, "minute")} ago`
  if (minutes < 24 * 60) return `${plural(Math.floor(minutes / 60), "hour")} ago`
  const days = Math.floor(minutes / (24 * 60))
  return days < 30 ? `${plural(days, "day")} ago` : `on ${time.slice(0, 10)}`
}

/** Bytes in units of 1,000, like disk sizes and `ls --si`. */
export function bytes(value: number): string {
  const power = value < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3))
  const scaled = value / 1000 ** power
  return `${power === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${UNITS[power]}`
}

export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`
}

/** The largest counts as text: "go 120, markdown 14". */
export function largestCounts(counts: Readonly<Record<string, number>>, max = 5): string {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1])
  const shown = entries.slice(0, max).map(([name, value]) => `${name} ${groupDigits(value)}`)
  if (entries.length > max) shown.push(`${entries.length - max} more`)
  return shown.join(", ")
}

/** The configured embedder's space in one line. */
export function configuredText({ provider, model, dimensions, share, serves }: ConfiguredEmbedding): string {
  const use = serves ? "" : "; the built-in vectors are used until it is complete"
  return `${provider} ${model}, ${dimensions} dimensions, ${percent(share)} of the chunks${use}`
}

/** Result of removing an index, in one line. */
export function removedText({ root, dir, files, bytes: size }: RemovedIndex): string {
  if (files === 0) return `no index exists for ${printableLine(root)}\n`
  return `removed the index in ${printableLine(dir)}: ${plural(files, "file")}, ${bytes(size)}\n`
}
