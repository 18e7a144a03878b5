import { expect, test } from "bun:test"
import { Workspace } from "./harness.ts"

test("a memory limit far below what parsing takes costs time, not files", async () => {
  using space = new Workspace()
  for (let i = 0; i < 300; i++) {
    space.write(`m${i}.py`, `def step_${i}(value):\n    """Takes step ${i}."""\n    return value + ${i}\n`)
  }
  const least = { AMAN_MEMORY_LIMIT: "16MiB", AMAN_WORKERS: "2" }
  const tight = await space.json(["index", "--quiet"], { env: least })
  expect(tight).toMatchObject({ files: 300, chunks: 300, skipped: {} })
  const found = await space.json(["search", "--quiet", "--limit", "1", "step_217"], { env: least })
  expect(found.results[0].path).toBe("m217.py")
})
