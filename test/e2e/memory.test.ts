import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { binary, Workspace } from "./harness.ts"

test("a memory limit far below the need of parsing costs time, but no files", async () => {
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

// Measured 170 to 195 MB on two cores. It would be 300 MB if garbage were collected only when it is as large
// as the parsers of a thread.
test.skipIf(process.platform !== "linux")("a first index of 4 MB of source peaks below 250 MB", async () => {
  using space = new Workspace()
  for (let i = 0; i < 500; i++) space.write(`p${i % 20}/m${i}.ts`, module(i))
  const child = Bun.spawn([binary, "index", "--quiet"], {
    cwd: space.project,
    env: { ...space.env, AMAN_WORKERS: "2" },
    stdout: "ignore",
    stderr: "inherit",
  })
  let peak = 0
  while (child.exitCode === null) {
    peak = Math.max(peak, peakBytes(child.pid))
    await Bun.sleep(10)
  }
  expect(child.exitCode).toBe(0)
  expect(peak).toBeGreaterThan(50e6)
  expect(peak).toBeLessThan(250e6)
})

function module(i: number): string {
  const steps = Array.from({ length: 24 }, (_, j) =>
    [
      `/** Takes step ${j} of plan ${i}. */`,
      `export function step${i}_${j}(value: Map<string, number>, other = ${j}) {`,
      `  const kept${j} = [...value].filter(([key]) => key !== "k${j}").map(([key, n]) => ({ key, n: n * other }))`,
      `  if (kept${j}.length > ${j}) return call${i % 97}(kept${j}, \`of \${other}\`)`,
      "  return null",
      "}",
      "",
    ].join("\n"),
  )
  return steps.join("\n")
}

/** The most that was resident so far; 0 once it has ended. proc_pid_status(5) */
function peakBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return Number(/^VmHWM:\s+(\d+) kB/mu.exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
