import { afterEach, beforeEach, expect, test } from "bun:test"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import { OpenClones } from "./clones.ts"
import { configuredRepositories, type Repository } from "./configured.ts"

let project: TempProject
let repository: Repository
beforeEach(() => {
  project = new TempProject({ "a.go": "package a\n" })
  const { repositories } = configuredRepositories({}, { AMAN_REPOS_URLS: "/srv/it" })
  repository = { ...repositories[0]!, clone: project.root, index: join(project.box, "index") }
})
afterEach(() => project[Symbol.dispose]())

test("opens a clone once, closes it only when no call runs, and opens it again", async () => {
  const clones = new OpenClones()
  const first = clones.open(repository)
  expect(first?.config.index).toMatchObject({ dir: repository.index, maxFileBytes: 1_048_576 })
  expect(first?.config.embeddings.provider).toBe("static")
  await clones.use(async (open) => {
    clones.closeIfIdle()
    expect(open(repository)).toBe(first)
  })
  clones.closeIfIdle()
  expect(clones.open(repository)).not.toBe(first)
  expect(clones.open({ ...repository, id: "other", clone: join(project.box, "nowhere") })).toBeNull()
})

test("closes abandoned clones after the last running call", async () => {
  const clones = new OpenClones()
  await clones.use(async (open) => {
    const used = open(repository)
    clones.closeWhenIdle()
    expect(open(repository)).toBe(used)
  })
  clones[Symbol.dispose]()
})
