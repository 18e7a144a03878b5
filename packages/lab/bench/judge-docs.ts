import { readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SearchResult } from "../../../src/base/index.ts"
import { indexProject, openProject } from "../../../src/index/index.ts"
import { searchProject } from "../../../src/search/answer/search-project.ts"
import { type DocQuestion, prepareQuestions } from "./doc-questions.ts"

export type DocVerdict = {
  readonly question: DocQuestion
  /** True if a place of a result, `also` included, overlaps the function. */
  readonly found: boolean
  /** True if that place contains the function's first line. */
  readonly strict: boolean
  /** True if that place names the function as its symbol. */
  readonly named: boolean
  /** True if that place is the result's own, not one of `also`. */
  readonly first: boolean
  /** True if the function's file is among the results. */
  readonly file: boolean
}

/**
 * Tests whether search finds the function that a doc comment describes after the comment was removed. Copies
 * each folder of `repositories` without the chosen comments, indexes it and runs the queries.
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
    // If a repository has too few documented functions, the repositories after it get more questions.
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

/** True for the name, also with its owner in front: Parser.parse. */
function isNamed(symbol: string | null, name: string): boolean {
  return symbol === name || (symbol?.endsWith(`.${name}`) ?? false)
}

type Lines = { readonly start_line: number; readonly end_line: number }

function overlaps(place: Lines, wanted: Lines): boolean {
  return place.end_line >= wanted.start_line && place.start_line <= wanted.end_line
}
