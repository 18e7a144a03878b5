import { closeSync, openSync, readFileSync, readSync } from "node:fs"
import { basename } from "node:path"
import { isDerivedName } from "./derived-files.ts"
import { openDropPages } from "./drop-pages.ts"
import { elfSection, type Section } from "./elf-section.ts"

/** Start, end, permissions, offset and path of a line of /proc/self/maps; proc_pid_maps(5). */
const MAPPED = /^([\da-f]+)-([\da-f]+) (\S{4}) ([\da-f]+) \S+ \d+ +(\/.+)$/

/**
 * Pages of files that this process only reads no longer count as its own: those of the program, most of which nothing
 * needs once it runs, and of indexes. The system keeps them at hand, and what is needed again costs no reading. Linux
 * only. Not while another thread may end a mapping: what lies at its address next would be lost.
 */
export function giveBackPages(): void {
  const drop = openDropPages()
  if (drop === null) return
  // All of them first: what making these leaves behind may be collected, and mappings with it.
  const ranges = mappings().flatMap(unwritten)
  for (let i = 0; i < ranges.length; i += 2) drop(ranges[i]!, ranges[i + 1]!)
}

/** Start and length in bytes of what a line of /proc/self/maps names, if it can be given back. */
function unwritten(line: string): number[] {
  const [, start = "", end = "", permissions = "", offsetText = "", path = ""] = MAPPED.exec(line) ?? []
  const [from, to, offset] = [start, end, offsetText].map((text) => Number.parseInt(text, 16)) as Range
  if (isUnwritten(permissions, offset, path)) return [from, to - from]
  return permissions === "rw-p" && path === process.execPath ? scriptsIn(from, to, offset) : []
}

type Range = [from: number, to: number, offset: number]

/**
 * What would be lost where something was written must stay: only what cannot be written, and is no part that was before
 * it was locked (addresses filled in at the start); and derived files, which nobody writes, though Bun maps them so
 * that one could.
 */
function isUnwritten(permissions: string, offset: number, path: string): boolean {
  if (permissions[1] === "w") return permissions[3] === "p" && isDerivedName(basename(path))
  return permissions[3] === "s" || permissions[2] === "x" || (offset === 0 && path === process.execPath)
}

/**
 * The program's scripts, which lie beside its variables: of that mapping only their own section, and only as long as
 * the system knows all of its pages for the file's.
 */
function scriptsIn(from: number, to: number, offset: number): number[] {
  // Elsewhere pages may be larger.
  if (process.arch !== "x64") return []
  scripts ??= elfSection(process.execPath, SCRIPTS) ?? NO_SECTION
  const start = Math.ceil((from + scripts.offset - offset) / PAGE_BYTES) * PAGE_BYTES
  const end = Math.min(
    to,
    Math.floor((from + scripts.offset + scripts.size - offset) / PAGE_BYTES) * PAGE_BYTES,
  )
  return start >= from && start < end && areFilePages(start, end) ? [start, end - start] : []
}

const SCRIPTS = ".bun"
const NO_SECTION: Section = { offset: 0, size: 0 }
let scripts: Section | undefined

const PAGE_BYTES = 4096
/** Of the upper half of an entry: it is in memory or swapped out; it is a file's. proc_pid_pagemap(5) */
const PRESENT = 0xc000_0000
const OF_FILE = 0x2000_0000

function areFilePages(from: number, to: number): boolean {
  const entries = new Uint32Array((2 * (to - from)) / PAGE_BYTES)
  try {
    const pagemap = openSync("/proc/self/pagemap", "r")
    const bytes = readSync(pagemap, entries, 0, entries.byteLength, (8 * from) / PAGE_BYTES)
    closeSync(pagemap)
    if (bytes < entries.byteLength) return false
  } catch {
    return false
  }
  for (let at = 1; at < entries.length; at += 2)
    if ((entries[at]! & PRESENT) !== 0 && (entries[at]! & OF_FILE) === 0) return false
  return true
}

function mappings(): string[] {
  try {
    return readFileSync("/proc/self/maps", "utf8").split("\n")
  } catch {
    return []
  }
}
