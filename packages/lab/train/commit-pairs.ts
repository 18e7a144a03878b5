import { FILE_FLAG } from "../../../src/base/index.ts"
import { contentKindOf, languageOf, pathFlags } from "../../../src/parse/index.ts"
import { bagOf, sizeOf } from "./bag.ts"
import { placeOf } from "./file-pairs.ts"
import type { Pair } from "./pair.ts"

const NOISE = /^(merge|bump|release|version|update (dep|change)|prepare|v?\d)/iu
/** Issue numbers, and the prefix of a conventional commit. */
const PREFIXES = /\(?#\d+\)?|^\w+(\([^)]*\))?!?:/gu
/** Lines of sign-offs and the like, and links: they are no prose. */
const TRAILER = /^[A-Z][\w-]+(-by|s)?: .*$|^(Signed|Co-authored|Change-Id).*$|https?:\S+/gmu
const MAX_FILES = 6
const MAX_CHANGED = 200
const MAX_LINE = 300
const LEFT_OUT = FILE_FLAG.vendored | FILE_FLAG.generated | FILE_FLAG.output

/** Pairs of a commit's message and its change, and of its subject and body. */
export function commitPairs(log: string): Pair[] {
  return log
    .split("\u0001")
    .slice(1)
    .flatMap((commit) => {
      const [message = "", diff = ""] = commit.split("\u0003", 2)
      const [subject = "", body = ""] = message.split("\u0002", 2)
      return NOISE.test(subject)
        ? []
        : pairsOf(subject.replace(PREFIXES, ""), body.replace(TRAILER, ""), diff)
    })
}

function pairsOf(subject: string, body: string, diff: string): Pair[] {
  const said = bagOf([subject], 24)
  if (sizeOf(said) < 3) return []
  const pairs: Pair[] = []
  const changed = changedText(diff)
  const change = changed === null ? null : bagOf(changed, MAX_CHANGED)
  if (change !== null && sizeOf(change) >= 8)
    pairs.push({ kind: "commit → change", left: said, right: change })
  const more = bagOf([body], 60)
  if (sizeOf(more) >= 10) pairs.push({ kind: "sentence → next sentence", left: said, right: more })
  return pairs
}

/**
 * Paths, hunk headings and lines of a diff; null if it changes so many files that it is not about one thing.
 */
function changedText(diff: string): string[] | null {
  const files = diff.split(/^\+\+\+ /mu).slice(1)
  const taken = files.filter((file) => isTrainedOn(pathOf(file)))
  if (taken.length === 0 || taken.length > MAX_FILES) return null
  return taken.flatMap((file) => [placeOf(pathOf(file)), ...file.split("\n").slice(1).flatMap(changedLine)])
}

function pathOf(file: string): string {
  return file.slice(2, file.indexOf("\n")).trim()
}

function changedLine(line: string): string[] {
  if (line.startsWith("@@")) return [line.slice(line.lastIndexOf("@@") + 2)]
  return /^[+-](?!--)/u.test(line) && line.length < MAX_LINE ? [line.slice(1)] : []
}

/** True for code that belongs to the project itself. */
function isTrainedOn(path: string): boolean {
  return (pathFlags(path) & LEFT_OUT) === 0 && contentKindOf(languageOf(path, "")) === "code"
}
