import { expect, test } from "bun:test"
import { IndexRun } from "../../../test/index-run.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { writeState } from "../index-state.ts"
import { rankIfDue } from "./run.ts"

test("ranks a large index in a worker that ends with it, so that its memory is free for the embedder", async () => {
  expect(await workersToRank(100)).toBe(0)
  expect(await workersToRank(100_000)).toBe(1)
})

/** Number of workers that ranking starts in an index of this many chunks, after a first run. */
async function workersToRank(chunks: number): Promise<number> {
  using project = new TempProject()
  project.write("a.py", "def one():\n    return 1\n")
  let started = 0
  using index = new IndexRun(project.root, {}, () => {
    started++
    return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", smol: true })
  })
  await index.run()
  const { store, context } = index
  const [known] = store.files.all()
  store.files.add([{ ...known!, id: known!.id + 1, path: "b.py", chunks }])
  writeState(store, { unranked: 1 })
  const before = started
  await rankIfDue(context, () => {})
  return started - before
}
