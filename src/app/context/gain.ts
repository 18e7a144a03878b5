import { FILE_FLAG } from "../../base/file-flag.ts"
import type { Candidate } from "./pack.ts"
import { type Features, featuresOf, type PieceFile } from "./piece-features.ts"
import type { QueryWords } from "./query-words.ts"
import { asksForTests, NOT_WRITTEN_HERE, roleWeight } from "./role.ts"
import type { SourceFile } from "./source-file.ts"
import type { TaskTerms } from "./task-terms.ts"

// Files whose pieces are compared; further ones are named only.
const MAX_FILES = 12
/** Bytes of all of them together: their words are read for each task. */
const MAX_BYTES = 1_000_000

/**
 * Weights of a conditional logit: of the lines that a task changes, a piece holds the share exp(sum) / (1 + Σ exp(sum)),
 * where 1 stands for lines that are in none of the pieces. Fitted on mined changes: docs/decisions/0036-packing.md.
 */
const WEIGHTS: Readonly<Record<keyof Features, number>> = {
  body: 0.13,
  title: 0.38,
  bodyInFile: 1.4,
  fileBody: 2.33,
  nameShare: 0.88,
  name: 0.2,
  around: 0.16,
  identifiers: 0.47,
  path: 1.58,
  rank: -0.53,
  score: 0.32,
  firstPlace: 1.38,
  secondPlace: 0.84,
  laterPlace: 0.83,
  lines: 0.75,
  fileLines: -0.35,
  comments: -1.1,
  imports: -1.69,
  isTest: -2.5,
  isAside: 0,
  isOthers: -1.48,
}
const INTERCEPT = -7.67

/** The pieces of the best files that have a word of the task, each with its expected gain. */
export function expectedGains(files: readonly SourceFile[], task: TaskTerms, query: QueryWords): Candidate[] {
  const read = compared(files, query)
  const features = featuresOf(
    read.map((file, rank) => pieceFile(file, rank, query)),
    task,
  )
  const candidates = read.flatMap((file, i) => {
    const role = Math.log(roleWeight(file.row, query))
    return file.pieces.flatMap((piece, j) => {
      const own = features[i]![j]!
      return own.body === 0 ? [] : [{ file, piece, gain: Math.exp(sumOf(own) + role) }]
    })
  })
  const total = candidates.reduce((sum, { gain }) => sum + gain, 1)
  return candidates.map((candidate) => ({ ...candidate, gain: candidate.gain / total }))
}

function sumOf(features: Features): number {
  let sum = INTERCEPT
  for (const name in WEIGHTS) sum += WEIGHTS[name as keyof Features] * features[name as keyof Features]
  return sum
}

/** The first files that are not just records, as many as may be compared. */
function compared(files: readonly SourceFile[], query: QueryWords): SourceFile[] {
  const read: SourceFile[] = []
  let bytes = 0
  for (const file of files) {
    if (roleWeight(file.row, query) === 0) continue
    bytes += file.row.size
    if (read.length === MAX_FILES || (bytes > MAX_BYTES && read.length > 0)) break
    read.push(file)
  }
  return read
}

const ASIDE =
  FILE_FLAG.example | FILE_FLAG.bench | FILE_FLAG.scripts | FILE_FLAG.declaration | FILE_FLAG.compat

function pieceFile(file: SourceFile, rank: number, query: QueryWords): PieceFile {
  const { path, result, lines, pieces } = file
  const { flags } = file.row
  return {
    path,
    rank,
    score: result.score,
    isTest: (flags & FILE_FLAG.test) !== 0 && !asksForTests(query),
    isAside: (flags & ASIDE) !== 0,
    isOthers: (flags & NOT_WRITTEN_HERE) !== 0,
    lines,
    pieces,
    places: [result, ...result.also],
  }
}
