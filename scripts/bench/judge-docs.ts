import { readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SearchResult } from "../../src/app/answers.ts"
import { indexProject } from "../../src/app/index-project.ts"
import { openProject } from "../../src/app/open-project.ts"
import { searchProject } from "../../src/app/search-project.ts"
import { type DocQuestion, prepareQuestions } from "./doc-questions.ts"

export type DocVerdict = {
  readonly question: DocQuestion
  /** The right function is a result's own place; or one of its places, `also` included. */
  readonly first: boolean
  readonly found: boolean
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
  const names = readdirSync(repositories, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const share = Math.ceil(total / names.length)
  const verdicts: DocVerdict[] = []
  for (const { name } of names) {
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
    const inFile = results.filter((result) => result.path === question.path)
    verdicts.push({
      question,
      file: inFile.length > 0,
      first: inFile.some((result) => overlaps(result, question)),
      found: inFile.some((result) => holds(result, question)),
    })
  }
  project.close()
  return verdicts
}

function holds(result: SearchResult, question: DocQuestion): boolean {
  return [result, ...result.also].some((place) => overlaps(place, question))
}

function overlaps(
  place: { readonly start_line: number; readonly end_line: number },
  question: DocQuestion,
): boolean {
  return place.end_line >= question.start_line && place.start_line <= question.end_line
}

export function byLanguage(
  verdicts: readonly DocVerdict[],
): { language: string; asked: number; found: number; first: number; file: number }[] {
  return Array.from(
    Map.groupBy(verdicts, (verdict) => verdict.question.language),
    ([language, list]) => ({
      language,
      asked: list.length,
      found: list.filter((verdict) => verdict.found).length / list.length,
      first: list.filter((verdict) => verdict.first).length / list.length,
      file: list.filter((verdict) => verdict.file).length / list.length,
    }),
  ).sort((a, b) => b.asked - a.asked)
}
