import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { binary, Workspace } from "./harness.ts"

// The large file takes some 300 MB with its syntax tree, captures and rows.
test.skipIf(process.platform !== "linux")(
  "stays below the memory limit with a file that needs more, and reads it again under a higher one",
  async () => {
    using space = new Workspace()
    space.write("a.cpp", templates("a", 700 << 10))
    space.write("small.py", "def step_217(value):\n    return value\n")
    const { peak, exitCode } = await indexPeak(space, ["--memory-limit", "256MB"])
    expect(exitCode).toBe(0)
    expect(peak).toBeGreaterThan(50e6)
    expect(peak).toBeLessThanOrEqual(256e6)
    const tight = await space.json(["status"])
    expect(tight.files + (tight.skipped["memory limit"] ?? 0)).toBe(2)
    expect(JSON.stringify(tight)).toMatch(/too little memory for its syntax|memory limit/u)
    const found = await space.json(["search", "--limit", "1", "step_217", "--memory-limit", "256MB"])
    expect(found.results[0].path).toBe("small.py")
    const ample = await space.json(["index", "--quiet"], { env: { AMAN_MEMORY_LIMIT: "2GB" } })
    expect(ample).toMatchObject({ files: 2, skipped: {} })
    // The small file is read again, too, if it was first read while the large one filled the memory.
    expect(ample.changed).toBeGreaterThanOrEqual(1)
    expect(JSON.stringify(ample.notices)).not.toContain("too little memory")
    const refused = await space.run(["index", "--memory-limit", "64MB"])
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain("192 MiB")
  },
)

// Measured 170 to 195 MB on two cores. It would be 300 MB if garbage were collected only when it is as large
// as the parsers of a thread.
test.skipIf(process.platform !== "linux")("a first index of 4 MB of source peaks below 250 MB", async () => {
  using space = new Workspace()
  for (let i = 0; i < 500; i++) space.write(`p${i % 20}/m${i}.ts`, module(i))
  const { peak, exitCode } = await indexPeak(space, [])
  expect(exitCode).toBe(0)
  expect(peak).toBeGreaterThan(50e6)
  expect(peak).toBeLessThan(250e6)
})

// 8,000 paths of 3,600 characters each take some 80 MB, which a process of 90 MB does not have below 192 MiB.
test.skipIf(process.platform !== "linux")(
  "a memory limit too small for the file list is refused with the limit that suffices; an old index still answers",
  async () => {
    using space = new Workspace({ "kestrel.py": "def kestrel():\n    return 1\n" })
    await space.json(["index"])
    const deep = Array.from({ length: 15 }, () => "d".repeat(240)).join("/")
    for (let i = 0; i < 8_000; i++) space.write(`${deep}/f${i}.py`, `x${i} = 1\n`)
    const limited = { env: { AMAN_MEMORY_LIMIT: "192MiB" } }
    const refused = await space.run(["index", "--json", "--quiet"], limited)
    expect([refused.code, refused.stderr]).toEqual([3, ""])
    const { code, message, hint } = JSON.parse(refused.stdout).error
    expect([code, message]).toEqual([
      "MEMORY_LIMIT",
      expect.stringMatching(/^indexing 800\d files needs a memory limit of at least \d+MB$/u),
    ])
    const least = /--memory-limit (\d+)MB/u.exec(hint)?.[1]
    expect(Number(least)).toBeGreaterThan(201)
    const { results, notices } = await space.json(["search", "--wait", "kestrel"], limited)
    expect(results[0].path).toBe("kestrel.py")
    expect(notices.join()).toContain("the index could not be updated: indexing 800")
  },
)

/** Runs `aman index`; `peak` is the most resident memory in bytes. */
async function indexPeak(space: Workspace, flags: readonly string[]) {
  const child = Bun.spawn([binary, "index", "--quiet", ...flags], {
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
  return { peak, exitCode: child.exitCode }
}

/** C++ of some 70 characters a line, each with several definitions. */
function templates(name: string, bytes: number): string {
  let text = ""
  for (let i = 0; text.length < bytes; i++) {
    text += `template<class ${name}T${i}> struct S${i} { ${name}T${i} a; void f${i}() { g${i}<${name}T${i}>(a); } };\n`
  }
  return text
}

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

/** Largest resident memory of a process so far, in bytes; 0 once it has ended. See proc_pid_status(5). */
function peakBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return Number(/^VmHWM:\s+(\d+) kB/mu.exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
