import { bm25 } from "../../../base/ranking.ts"
import type { ResultPlace } from "../../answers.ts"
import type { TaskTerms } from "../task-terms.ts"
import { type PieceWords, termsOfText } from "./piece-words.ts"
import type { Piece } from "./pieces.ts"

/** Data about a file that is known before its pieces are compared. */
export type PieceFile = {
  readonly path: string
  /** Rank among the compared files, from 0. */
  readonly rank: number
  /** The file's odds relative to the best file, 0 to 1. */
  readonly score: number
  readonly isTest: boolean
  /**
   * True if the file is an example, a benchmark, a script, contains declarations without code, or serves old
   * versions.
   */
  readonly isAside: boolean
  /** True for generated or vendored files and build output, which people do not edit in this project. */
  readonly isNotWrittenHere: boolean
  /** Number of lines. */
  readonly lines: number
  readonly pieces: readonly Piece[]
  /** Terms and other properties of each piece. */
  readonly words: readonly PieceWords[]
  /** The places that search found in the file, best first. */
  readonly places: readonly Pick<ResultPlace, "start_line" | "end_line">[]
}

/** Features that predict a piece's gain; the weights are in gain.ts. */
export type Features = {
  /** ln(1 + BM25) of the piece over all words of the task. */
  readonly body: number
  /** BM25 of the piece over all words, relative to the best piece of its file, 0 to 1. */
  readonly bodyInFile: number
  /** BM25 of the file's best piece, relative to the best piece of all files, 0 to 1. */
  readonly fileBody: number
  /** Share of the name's words that occur in the task; 0 unless one of them is in the task's title. */
  readonly nameShare: number
  /** ln(1 + idf) of the task's words in the names of the symbols around the piece. */
  readonly around: number
  /** ln(1 + idf) of the task's compound identifiers that occur in the piece. */
  readonly identifiers: number
  /** Share of the title's idf that occurs in the path. */
  readonly path: number
  /** ln(1 + rank) and ln(score + .01) of the file. */
  readonly rank: number
  readonly score: number
  /** 1 if search ranked this place first in the file; the next two fields mean second, and third or later. */
  readonly firstPlace: number
  readonly secondPlace: number
  readonly laterPlace: number
  /** ln of the number of lines of the piece. */
  readonly lines: number
  /** ln of the number of lines of the file. */
  readonly fileLines: number
  /** Share of the piece's lines that are comments. */
  readonly comments: number
  /** Share of the piece's lines that are imports. */
  readonly imports: number
  readonly isTest: number
  readonly isAside: number
  readonly isNotWrittenHere: number
}

// The length of a piece is its characters without indents; the average is a function of 15 lines.
const AVERAGE_LENGTH = 600
const SMALLEST = 1e-6

/** The features of each piece of each file. */
export function featuresOf(files: readonly PieceFile[], task: TaskTerms): Features[][] {
  const scored = files.map((file) => file.words.map((words) => taskScores(words, task)))
  const bests = scored.map((pieces) => pieces.reduce((max, { body }) => Math.max(max, body), SMALLEST))
  const best = bests.reduce((max, each) => Math.max(max, each), SMALLEST)
  return files.map((file, i) => {
    const ofFile = { ...fileFeatures(file, task), fileBody: bests[i]! / best }
    return file.pieces.map((piece, j) => {
      const { body, identifiers } = scored[i]![j]!
      const words = file.words[j]!
      const lines = piece.endLine - piece.startLine + 1
      return {
        ...ofFile,
        body: Math.log1p(body),
        bodyInFile: body / bests[i]!,
        identifiers: Math.log1p(identifiers),
        lines: Math.log(lines),
        comments: words.comments / lines,
        imports: words.imports / lines,
        ...nameFeatures(words, task),
        ...placeFeatures(file, piece),
        isTest: file.isTest || words.isTestModule ? 1 : 0,
      }
    })
  })
}

function fileFeatures(file: PieceFile, task: TaskTerms) {
  const inTitle = sumOfIdf(task, task.countedIn(termsOfText(file.path)), ({ inTitle }) => inTitle)
  return {
    path: inTitle / (task.titleIdf + 1),
    rank: Math.log1p(file.rank),
    score: Math.log(file.score + 0.01),
    fileLines: Math.log(file.lines + 1),
    isAside: file.isAside ? 1 : 0,
    isNotWrittenHere: file.isNotWrittenHere ? 1 : 0,
  }
}

function nameFeatures({ name, nameWords, around }: PieceWords, task: TaskTerms) {
  const outer = Math.log1p(sumOfIdf(task, task.countedIn(around)))
  const terms = name === null ? [] : [...task.countedIn(name).keys()]
  const hasTitle = terms.some((term) => task.terms[term]!.inTitle)
  return { nameShare: hasTitle ? Math.min(1, terms.length / nameWords) : 0, around: outer }
}

function placeFeatures({ places }: PieceFile, { startLine, endLine }: Piece) {
  const at = places.findIndex(({ start_line, end_line }) => start_line <= endLine && end_line >= startLine)
  return { firstPlace: at === 0 ? 1 : 0, secondPlace: at === 1 ? 1 : 0, laterPlace: at > 1 ? 1 : 0 }
}

function sumOfIdf(
  { terms }: TaskTerms,
  counts: ReadonlyMap<number, number>,
  accept: (term: TaskTerms["terms"][number]) => boolean = () => true,
): number {
  let sum = 0
  for (const at of counts.keys()) if (accept(terms[at]!)) sum += terms[at]!.idf
  return sum
}

type TaskScores = {
  /** BM25 over all words of the task, each by its weight. */
  readonly body: number
  /** Sum of idf over the task's compound identifiers in the piece. */
  readonly identifiers: number
}

function taskScores(words: PieceWords, task: TaskTerms): TaskScores {
  let [body, identifiers] = [0, 0]
  for (const [term, count] of task.countedIn(words.body)) {
    const { idf, weight, isCompound } = task.terms[term]!
    body += weight * idf * bm25(count, words.length / AVERAGE_LENGTH)
    if (isCompound) identifiers += idf
  }
  return { body, identifiers }
}
