import { FILE_FLAG } from "../base/index.ts"
import { isRecordStem, RECORD_WORDS } from "../index/index.ts"
import type { FileRow } from "../store/index.ts"
import { stemName } from "../text/index.ts"
import type { ScoredPiece } from "./pack.ts"
import { type Features, featuresOf, type PieceFile, type SourceFile } from "./pieces.ts"
import type { QueryWords, TaskTerms } from "./task-terms.ts"

// Max files whose pieces are compared; of further files only the names are shown.
const MAX_FILES = 12
/** Max total bytes of the files whose pieces are compared, because their words are read for each task. */
const MAX_BYTES = 1_000_000

/**
 * Weights of a conditional logit: exp(sum) / (1 + Σ exp(sum)) is the expected share of the changed lines that a
 * piece holds, where 1 stands for changed lines outside all pieces. Fitted on mined changes:
 * docs/decisions/10-context.md.
 */
const WEIGHTS: Readonly<Record<keyof Features, number>> = {
  body: 0.58,
  bodyInFile: 1.19,
  fileBody: 2.27,
  nameShare: 0.8,
  around: 0.23,
  identifiers: 0.4,
  path: 1.37,
  rank: -0.55,
  score: 0.25,
  firstPlace: 1.58,
  secondPlace: 1.26,
  laterPlace: 0.98,
  lines: 0.78,
  fileLines: -0.31,
  comments: -1.17,
  imports: -2.01,
  isTest: -2.63,
  isAside: -0.33,
  isNotWrittenHere: -1.61,
}
const INTERCEPT = -7.7

// Pieces with a smaller expected gain are not shown: in a budget of 8,000 tokens their text contains 0.3 % of
// the changed lines, and the names of their files help as much.
const MIN_GAIN = 0.0005

/**
 * The pieces of the best files that have at least MIN_GAIN. `withoutWords` includes pieces that contain no word of the
 * query: it is true for tasks, because changed lines are in such pieces too, and false for questions, which such pieces
 * do not answer.
 */
export function expectedGains(
  files: readonly SourceFile[],
  task: TaskTerms,
  query: QueryWords,
  withoutWords: boolean,
): ScoredPiece[] {
  const best = compared(files, query)
  const features = featuresOf(
    best.map((file, rank) => pieceFile(file, rank, query)),
    task,
  )
  const candidates = best.flatMap((file, i) => {
    const role = Math.log(roleWeight(file.row, query))
    return file.pieces.flatMap((piece, j) => {
      const pieceFeatures = features[i]![j]!
      return pieceFeatures.body === 0 && !withoutWords
        ? []
        : [{ file, piece, gain: Math.exp(sumOf(pieceFeatures) + role) }]
    })
  })
  const total = candidates.reduce((sum, { gain }) => sum + gain, 1)
  return candidates
    .map((candidate) => ({ ...candidate, gain: candidate.gain / total }))
    .filter(({ gain }) => gain >= MIN_GAIN)
}

function sumOf(features: Features): number {
  let sum = INTERCEPT
  for (const name in WEIGHTS) sum += WEIGHTS[name as keyof Features] * features[name as keyof Features]
  return sum
}

/** The files whose pieces are compared: the best ones, without records such as change logs. */
export function compared(files: readonly SourceFile[], query: QueryWords): SourceFile[] {
  const best: SourceFile[] = []
  let bytes = 0
  for (const file of files) {
    if (roleWeight(file.row, query) === 0) continue
    bytes += file.row.size
    if (best.length === MAX_FILES || (bytes > MAX_BYTES && best.length > 0)) break
    best.push(file)
  }
  return best
}

const ASIDE =
  FILE_FLAG.example | FILE_FLAG.bench | FILE_FLAG.scripts | FILE_FLAG.declaration | FILE_FLAG.compat

export function pieceFile(file: SourceFile, rank: number, query: QueryWords): PieceFile {
  const { path, result, lineCount, pieces } = file
  const { flags } = file.row
  return {
    path,
    rank,
    score: result.score,
    isTest: (flags & FILE_FLAG.test) !== 0 && !asksForTests(query),
    isAside: (flags & ASIDE) !== 0,
    isNotWrittenHere: (flags & NOT_WRITTEN_HERE) !== 0,
    lineCount,
    pieces,
    places: [result, ...result.also],
  }
}

// Weight of documentation beside source code. Chosen by hand, because commits do not show which documents are
// worth reading.
const DOCS = 0.1

/** Weight of data files beside source code. */
const DATA = 0.3

const TEST_WORDS = "test spec fixture mock stub assertion coverage"
const DOCS_WORDS = "docs document documentation readme manual guide tutorial page section"

/** Flags of files that are not edited by hand. */
const NOT_WRITTEN_HERE: number = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.output

export function asksForTests(query: QueryWords): boolean {
  return query.in(TEST_WORDS).size > 0
}

/**
 * Factor from 0 to 1 for the text of documents and data, relative to equally matching code. 0: the file is a
 * record of the project (change log, licence) and the task does not mention records; it is only named.
 */
export function roleWeight({ path, content }: Pick<FileRow, "path" | "content">, query: QueryWords): number {
  if (content === "code") return 1
  if (content !== "docs") return DATA
  const isAsked = (words: string) => query.in(words).size > 0
  const stem = stemName(path.slice(path.lastIndexOf("/") + 1)).toLowerCase()
  if (isRecordStem(stem)) return isAsked(RECORD_WORDS) ? 1 : 0
  return isAsked(DOCS_WORDS) ? 1 : DOCS
}
