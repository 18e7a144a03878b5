import { expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import { applyEdit, edit, makeRepository } from "../git-edits.ts"
import { rankingsOf, truthOf } from "../index-equality.ts"
import { Workspace } from "./harness.ts"

const RUNS = Number(process.env["AMAN_TEST_RUNS"] ?? 4)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 20_261_121)

test(
  "after any edits, branches and rules an index kept up to date equals a new one",
  async () => {
    const rounds = fc.array(fc.array(edit, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
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
  },
  60_000 * RUNS,
)

/** The index of a project against one that is made now, elsewhere. */
async function expectAsNew(space: Workspace): Promise<void> {
  const env = { AMAN_INDEX_DIR: join(space.dir, "fresh") }
  await space.json(["index", "--force"], { env })
  expect(truthOf(join(space.project, ".aman"))).toEqual(truthOf(env.AMAN_INDEX_DIR))
  expect(await rankingsOf(space)).toEqual(await rankingsOf(space, env))
}
