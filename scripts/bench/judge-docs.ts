import { readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SearchResult } from "../../src/app/answers.ts"
import { indexProject } from "../../src/app/index/index-project.ts"
import { openProject } from "../../src/app/project/open-project.ts"
import { searchProject } from "../../src/app/search/search-project.ts"
import { type DocQuestion, prepareQuestions } from "./doc-questions.ts"

export type DocVerdict = {
  readonly question: DocQuestion
  /** A place of a result, `also` included, overlaps the function. */
  readonly found: boolean
  /** Such a place holds the function's first line. */
  readonly strict: boolean
  /** Such a place gives the function as its symbol. */
  readonly named: boolean
  /** It is the result's own place, not one of `also`. */
  readonly first: boolean
  /** The function's file is among the results. */
  readonly file: boolean
}

/**
 * The second judge of retrieval: is the function found that a doc comment describes, once the comment is gone?
 * Every folder of `repositories` is copied, stripped of the drawn comments, indexed and asked.
 */
export async function judgeByDocs(
  repositories: string,
  total: number,
  onDone: (line: string) => void,
): Promise<DocVerdict[]> {
  const names = readdirSync(repositories, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  const verdicts: DocVerdict[] = []
  for (const [i, name] of names.entries()) {
    // Where one has too few documented functions, those after it are asked more.
    const share = Math.ceil((total - verdicts.length) / (names.length - i))
    const copy = join(tmpdir(), "aman-bench-docs", name)
    const questions = await prepareQuestions(join(repositories, name), copy, name, share)
    const judged = await judge(copy, questions)
    verdicts.push(...judged)
    const found = judged.filter((verdict) => verdict.found).length
    onDone(`${name}: ${found} of ${judged.length}`)
    rmSync(copy, { recursive: true, force: true })
  }
  return verdicts
}

async function judge(root: string, questions: readonly DocQuestion[]): Promise<DocVerdict[]> {
  const project = openProject({ root, cwd: root })
  await indexProject(project)
  const verdicts: DocVerdict[] = []
  for (const question of questions) {
    const request = {
      limit: 10,
      mode: "hybrid",
      content: "all",
      paths: [],
      languages: [],
      kinds: [],
      explain: false,
    } as const
    const { results } = await searchProject(
      project,
      { query: question.query, ...request },
      { refresh: false },
    )
    verdicts.push(verdictOn(question, results))
  }
  project.close()
  return verdicts
}

function verdictOn(question: DocQuestion, results: readonly SearchResult[]): DocVerdict {
  const inFile = results.filter((result) => result.path === question.path)
  const places = inFile.flatMap((result) => [result, ...result.also])
  const firstLine = { start_line: question.start_line, end_line: question.start_line }
  return {
    question,
    found: places.some((place) => overlaps(place, question)),
    strict: places.some((place) => overlaps(place, firstLine)),
    named: places.some((place) => overlaps(place, firstLine) && isNamed(place.symbol, question.name)),
    first: inFile.some((result) => overlaps(result, question)),
    file: inFile.length > 0,
  }
}

/** Symbols are shown with their owner: Parser.parse. */
function isNamed(symbol: string | null, name: string): boolean {
  return symbol === name || (symbol?.endsWith(`.${name}`) ?? false)
}

type Lines = { readonly start_line: number; readonly end_line: number }

function overlaps(place: Lines, wanted: Lines): boolean {
  return place.end_line >= wanted.start_line && place.start_line <= wanted.end_line
}
