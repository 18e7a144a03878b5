import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { IndexReport, SearchAnswer, SearchRequest } from "../src/base/answers.ts"
import { openProject, type Project, type ProjectOptions } from "../src/index/open/open-project.ts"
import { indexProject } from "../src/index/update/index-project.ts"
import { searchProject } from "../src/search/answer/search-project.ts"
import { keptPool } from "./kept-pool.ts"

export type Files = Readonly<Record<string, string | Uint8Array>>

/**
 * Time of the next write in seconds since 1970: long ago, so that no file time is close to that of a scan,
 * and one second later for each write.
 */
let clock = 1_600_000_000

/** A project in a folder of its own, indexed by the product itself; removed after the test. */
export class TempProject implements Disposable {
  readonly box = realpathSync(mkdtempSync(join(tmpdir(), "aman-project-")))
  /**
   * Consists of folder names that are no words of a project's name, because rankings must not depend on the
   * temporary folder.
   */
  readonly root = join(this.box, "projects", "work", "app")
  readonly #open: Project[] = []

  constructor(files: Files = {}) {
    mkdirSync(this.root, { recursive: true })
    for (const [path, content] of Object.entries(files)) this.write(path, content)
  }

  write(path: string, content: string | Uint8Array): void {
    const full = join(this.root, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, content)
    this.touch(path)
  }

  touch(path: string): void {
    clock++
    utimesSync(join(this.root, path), clock, clock)
  }

  rename(from: string, to: string): void {
    mkdirSync(dirname(join(this.root, to)), { recursive: true })
    renameSync(join(this.root, from), join(this.root, to))
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true })
  }

  /** Opens the project; it is closed together with this object. */
  open(options: Partial<ProjectOptions> = {}): Project {
    const project = openProject({ root: this.root, cwd: this.root, "index.workers": 1, ...options })
    this.#open.push(project)
    return project
  }

  /** Brings the index up to date. */
  async index(options: Partial<ProjectOptions> = {}): Promise<IndexReport> {
    return indexProject(this.open(options), { pool: keptPool })
  }

  /** Searches the index as it is, without refreshing it first. */
  async search(query: string, request: Partial<SearchRequest> = {}): Promise<SearchAnswer> {
    return searchProject(this.open(), { ...REQUEST, ...request, query }, { refresh: false })
  }

  async paths(query: string, request: Partial<SearchRequest> = {}): Promise<string[]> {
    return (await this.search(query, request)).results.map((result) => result.path)
  }

  /** Closes the project, which can be opened again afterwards. */
  close(): void {
    for (const project of this.#open) project.close()
  }

  [Symbol.dispose](): void {
    this.close()
    rmSync(this.box, { recursive: true, force: true })
  }
}

export const REQUEST: SearchRequest = {
  query: "",
  limit: 10,
  mode: "hybrid",
  content: "all",
  paths: [],
  languages: [],
  kinds: [],
  explain: false,
}
