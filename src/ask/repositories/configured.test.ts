import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import {
  chooseRepositories,
  chooseRepository,
  configuredRepositories,
  isDue,
  isStale,
  OpenClones,
  type Repository,
} from "./configured.ts"

const URLS =
  "https://github.com/org/api,git@github.com:org/api-client,git@gitlab.com:Org/Shared_Lib#v2,https://github.com/org/twice,git@github.com:org/twice,ext::sh"
const configured = configuredRepositories({}, { AMAN_REPOS_URLS: URLS, AMAN_DATA_DIR: "/nowhere/at/all" })
const namesOf = (wanted: string) => chooseRepositories(configured, wanted).map(({ name }) => name)

describe("the repositories that a name selects", () => {
  test.each([
    ["github.com/org/api", ["github.com/org/api"]],
    ["GITHUB.com/ORG/api", ["github.com/org/api"]],
    ["https://github.com/org/api", ["github.com/org/api"]],
    ["org/api", ["github.com/org/api", "github.com/org/api-client"]],
    // A part of a name selects every repository that contains it, even if it is the whole last part of one
    // name. A whole name selects that repository alone.
    ["api", ["github.com/org/api", "github.com/org/api-client"]],
    ["shared_lib", ["gitlab.com/Org/Shared_Lib#v2"]],
    ["twice", ["https://github.com/org/twice", "git@github.com:org/twice"]],
    ["git@", ["github.com/org/api-client", "gitlab.com/Org/Shared_Lib#v2", "git@github.com:org/twice"]],
  ])("%s", (wanted, names) => expect(namesOf(wanted)).toEqual(names))

  test("selects all with *, none with an empty name", () => {
    expect(namesOf("*")).toHaveLength(5)
    for (const wanted of ["", "  ", "nope"]) expect(() => namesOf(wanted)).toThrow("no repository is named")
    expect(() => chooseRepository(configured, "api")).toThrow("matches 2 repositories")
  })

  test("reports an invalid address by its position and does not quote it", () => {
    expect(configured.problems).toEqual([
      expect.stringMatching(/^address 6 of repos\.urls: .*remote helpers/),
    ])
  })
})

test("computes due and stale from the clock, also after it was set back", () => {
  const { config } = configured
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))
  const state = { ...EMPTY, last_attempt: at(0).toISOString(), last_pull: at(0).toISOString() }
  expect([1, 14, 15, 100, -5].map((minutes) => isDue(state, config, at(minutes)))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ])
  expect([1, 29, 30, -5].map((minutes) => isStale(state, config, at(minutes)))).toEqual([
    false,
    false,
    true,
    true,
  ])
  expect([isDue(undefined, config, at(0)), isStale(undefined, config, at(0))]).toEqual([true, true])
  expect(isStale({ ...state, error: "gone" }, config, at(1))).toBe(true)
})

const EMPTY = {
  url: "",
  cloned_at: null,
  last_pull: null,
  last_attempt: null,
  last_commit: null,
  last_indexed: null,
  file_count: 0,
}

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
  expect(first?.config.index).toMatchObject({ dir: repository.index, maxFileBytes: 8_388_608 })
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
