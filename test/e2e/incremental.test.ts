import { expect, test } from "bun:test"
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { startEmbeddingServer } from "../embedding-server.ts"
import { noteFigures } from "../figures.ts"
import { applyEdit, edit, git, makeRepository } from "../git-edits.ts"
import { rankingsOf, truthOf } from "../index-equality.ts"
import { Workspace } from "./harness.ts"

const RUNS = Number(process.env["AMAN_TEST_RUNS"] ?? 2)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 20_261_121)

test(
  "an updated index equals a new one after any edits, branches and rules",
  async () => {
    const rounds = fc.array(fc.array(edit, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 5 })
    let compared = 0
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        compared += all.length
        using space = new Workspace()
        makeRepository(space.project)
        await space.json(["index"])
        for (const edits of all) {
          for (const each of edits) applyEdit(space.project, each)
          await space.json(["index"])
        }
        await expectAsNew(space)
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    )
    noteFigures("incremental", { sequences: RUNS, rounds: compared, differences: 0 })
  },
  60_000 * RUNS,
)

test("embeds nothing for a rename or a copy, and only the edited chunk for an edit", async () => {
  using embedder = startEmbeddingServer()
  using space = new Workspace()
  const env = { OLLAMA_HOST: embedder.url, AMAN_EMBEDDINGS_PROVIDER: "auto" }
  const index = async () => {
    const before = embedder.texts().length
    const report = await space.json(["index"], { env })
    expect(report.embedding.other).toMatchObject({ share: 1, serves: true })
    return { changed: report.changed, removed: report.removed, texts: embedder.texts().slice(before) }
  }
  const parts = Array.from({ length: 6 }, (_, i) => longFunction(`handler_${i}`, "total"))
  space.write("shop/orders.py", parts.join("\n\n"))
  space.write("shop/other.py", longFunction("other", "sum"))
  expect((await index()).texts.length).toBeGreaterThan(3)

  const paths = { from: join(space.project, "shop"), to: join(space.project, "store") }
  renameSync(paths.from, paths.to)
  expect(await index()).toEqual({ changed: 2, removed: 2, texts: [] })

  cpSync(join(paths.to, "orders.py"), join(paths.to, "copy.py"))
  expect(await index()).toEqual({ changed: 1, removed: 0, texts: [] })

  parts[3] = longFunction("handler_3", "amount")
  space.write("store/orders.py", parts.join("\n\n"))
  const { changed, texts } = await index()
  expect(changed).toBe(1)
  expect(texts).toHaveLength(1)
  expect(texts[0]).toContain("handler_3")
  await expectAsNew(space, env)
})

test("indexes submodules once, with their superproject, and skips other repositories, however they come and go", async () => {
  using space = new Workspace({ "app.py": "def app():\n    return walrus()\n" })
  const library = join(space.dir, "library")
  mkdirSync(library)
  writeFileSync(join(library, "walrus.py"), "def walrus():\n    return 1\n")
  for (const folder of [library, space.project]) git(folder, "init", "-q", "-b", "main")
  git(library, "add", ".")
  git(library, "commit", "-qm", "one")
  await space.json(["index"])

  expect(git(space.project, "submodule", "add", "-q", library, "library")).toBe(0)
  git(space.project, "commit", "-qam", "library")
  // .gitmodules counts, too.
  expect((await space.json(["index"])).files).toBe(3)
  expect((await space.json(["search", "walrus"])).results[0].path).toBe("library/walrus.py")
  await expectAsNew(space)

  git(space.dir, "clone", "-q", library, join(space.project, "nested"))
  expect(await space.json(["index"])).toMatchObject({ files: 3, skipped: { "nested repository": 1 } })
  await expectAsNew(space)

  space.write(".aman.yaml", "paths:\n  exclude: [library]\n")
  expect((await space.json(["search", "walrus"])).results[0].path).toBe("app.py")
  await expectAsNew(space)
  space.write(".aman.yaml", "")

  rmSync(join(space.project, "nested", ".git"), { recursive: true })
  expect(git(space.project, "submodule", "-q", "deinit", "-f", "library")).toBe(0)
  const { results } = await space.json(["search", "walrus"])
  expect(results[0].path).toBe("nested/walrus.py")
  expect(results.map(({ path }: { path: string }) => path)).not.toContain("library/walrus.py")
  await expectAsNew(space)
})

/** A function that is large enough to be a chunk of its own. */
function longFunction(name: string, word: string): string {
  const lines = Array.from(
    { length: 60 },
    (_, i) => `    ${word}_${i} = ${name}_${i}(${word}, order_${i}) + ${i}`,
  )
  return `def ${name}(${word}):\n${lines.join("\n")}\n    return ${word}_0\n`
}

/** Expects the index of a project to equal a new one that is made in another folder. */
async function expectAsNew(space: Workspace, env: Record<string, string> = {}): Promise<void> {
  const fresh = join(space.dir, "fresh")
  await space.json(["index", "--force"], { env: { ...env, AMAN_INDEX_DIR: fresh } })
  await space.json(["index"], { env })
  expect(truthOf(join(space.project, ".aman"))).toEqual(truthOf(fresh))
  expect(await rankingsOf(space, env)).toEqual(await rankingsOf(space, { ...env, AMAN_INDEX_DIR: fresh }))
}
