import { expect } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const SUMMARY = "stats.txt"

/**
 * A folder of rankings with one file per question and a summary, so that every change of ranking appears as a
 * diff for review. UPDATE_GOLDEN=1 writes the files.
 */
export class GoldenRankings {
  readonly #folder: string
  readonly #isWritten = Boolean(process.env["UPDATE_GOLDEN"])

  constructor(name: string) {
    this.#folder = join(import.meta.dir, "golden", name)
    if (this.#isWritten) rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true })
  }

  expect(question: string, text: string): void {
    this.#expectFile(nameOf(question), text)
  }

  /**
   * Compares recall and MRR with the summary. `places`: for each question, the index of the expected answer
   * among its results; -1 when it is missing.
   */
  expectShares(places: readonly number[]): void {
    const share = (within: number) => places.filter((at) => at >= 0 && at < within).length / places.length
    const mrr = places.reduce((sum, at) => sum + (at < 0 ? 0 : 1 / (at + 1)), 0) / places.length
    const lines = [
      `recall@1 ${share(1).toFixed(2)}`,
      `recall@5 ${share(5).toFixed(2)}`,
      `MRR ${mrr.toFixed(2)}`,
    ]
    this.#expectFile(SUMMARY, `${lines.join("\n")}\n`)
  }

  /** Expects exactly one file for each of these questions, so that no ranking of a removed question is left. */
  expectOnly(questions: readonly string[]): void {
    expect(readdirSync(this.#folder).sort()).toEqual([...questions.map(nameOf), SUMMARY].sort())
  }

  #expectFile(name: string, text: string): void {
    const path = join(this.#folder, name)
    if (this.#isWritten) writeFileSync(path, text)
    expect(existsSync(path) ? readFileSync(path, "utf8") : "").toBe(text)
  }
}

function nameOf(question: string): string {
  return `${question.replaceAll(/\W+/g, "-").replaceAll(/^-|-$/g, "").toLowerCase()}.txt`
}
