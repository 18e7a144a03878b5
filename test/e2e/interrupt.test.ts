import { describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { binary, Workspace } from "./harness.ts"

const FILES = 600

function bigProject(): Workspace {
  const space = new Workspace()
  for (let index = 0; index < FILES; index++) {
    if (index % 100 === 0) mkdirSync(join(space.project, `p${index / 100}`))
    const functions = Array.from(
      { length: 12 },
      (_, part) => `def f_${index}_${part}(x):\n    return x + ${part}\n\n`,
    )
    writeFileSync(join(space.project, `p${Math.floor(index / 100)}/m${index}.py`), functions.join("\n"))
  }
  return space
}

test("Ctrl-C during indexing exits with 130, and the next run completes the index", async () => {
  using space = bigProject()
  const child = Bun.spawn([binary, "index"], {
    cwd: space.project,
    env: space.env,
    stdout: "pipe",
    stderr: "pipe",
  })
  // During the run, the index exists and is incomplete.
  await untilExists(join(space.project, ".aman/index.db"))
  child.kill("SIGINT")
  const stderr = await child.stderr.text()
  expect(await child.exited).toBe(130)
  // The process ended by the signal itself, which works even while the process is busy.
  expect(child.signalCode).toBe("SIGINT")
  expect(stderr).not.toMatch(/\n\s+at /)
  const report = await space.json(["index"])
  expect(report.files).toBe(FILES)
  const { results } = await space.json(["search", "--limit", "1", "f_599_7"])
  expect(results[0].path).toBe("p5/m599.py")
})

test("a killed run continues where it was", async () => {
  using space = bigProject()
  for (let round = 0; round < 3; round++) {
    const child = Bun.spawn([binary, "index", "--quiet"], { cwd: space.project, env: space.env })
    await untilExists(join(space.project, ".aman/index.db"))
    await Bun.sleep(150 * round)
    child.kill("SIGKILL")
    await child.exited
  }
  expect((await space.json(["index"])).files).toBe(FILES)
  expect((await space.json(["search", "--limit", "1", "f_377_3"])).results[0].path).toBe("p3/m377.py")
})

test("Ctrl-C ends an import immediately, and nothing of it is stored", async () => {
  using space = new Workspace({ "package.json": "{}" })
  const notes = Array.from({ length: 20_000 }, (_, at) =>
    JSON.stringify({ text: `Note ${at} of a long list` }),
  )
  space.write("notes.jsonl", notes.join("\n"))
  for (const words of [
    ["memory", "import", "notes.jsonl"],
    ["remember", "--batch", "notes.jsonl"],
  ]) {
    const child = Bun.spawn([binary, ...words], { cwd: space.project, env: space.env, stdout: "ignore" })
    await Bun.sleep(400)
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    expect(JSON.parse((await space.run(["memory", "list", "--json"])).stdout).total).toBe(0)
  }
})

describe.skipIf(process.platform !== "linux")("closing the terminal", () => {
  test.each([
    ["", 129],
    ["trap '' HUP; ", 130],
  ])("ends a run after %p, but not one started by nohup, with %d", async (before, code) => {
    using space = new Workspace({ "a.py": "x = 1\n" })
    const child = Bun.spawn(["sh", "-c", `${before}exec "$0" index --watch`, binary], {
      cwd: space.project,
      env: space.env,
      stderr: "pipe",
    })
    const told = child.stderr.getReader()
    while (!new TextDecoder().decode((await told.read()).value).includes("Watching for changes"));
    child.kill("SIGHUP")
    // A process that reacts to SIGHUP has ended by then; one that ignores it needs another signal.
    await Promise.race([child.exited, Bun.sleep(500)])
    child.kill("SIGINT")
    expect(await child.exited).toBe(code)
  })
})

test("of two concurrent commands one indexes, the other waits, and both answer", async () => {
  using space = bigProject()
  const search = () => space.json(["search", "f_5_5"])
  const [first, second] = await Promise.all([search(), search()])
  expect(first.results[0].path).toBe("p0/m5.py")
  expect(second.results).toEqual(first.results)
})

async function untilExists(path: string): Promise<void> {
  while (!(await Bun.file(path).exists())) await Bun.sleep(5)
}
