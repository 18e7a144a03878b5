import { afterAll, beforeAll, expect, test } from "bun:test"
import { LIMITS } from "../../../test/index-run.ts"
import { mortalWorker, stallingWorker } from "../../../test/mortal-worker.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { thisThread } from "./perform-task.ts"
import type { ParseTask } from "./worker-pool.ts"
import { EndedError, isAnyWorking, WorkerPool } from "./worker-pool.ts"

let project: TempProject
let mortal: () => Worker
let spawned: number

beforeAll(() => {
  project = new TempProject({ "a.py": "def a():\n    pass\n", "b.py": "b = 2\n", "fatal.py": "x = 1\n" })
  const spawn = mortalWorker(project.box, "fatal.py")
  mortal = () => {
    spawned++
    return spawn()
  }
})
afterAll(() => project[Symbol.dispose]())

function parse(...paths: string[]): ParseTask {
  const files = paths.map((path, i) => ({ id: i + 1, path, knownHash: null }))
  return { kind: "parse", root: project.root, files, limits: LIMITS }
}

test("runs a task in a worker and returns its complete result", async () => {
  using pool = new WorkerPool(1)
  const { outcomes, segments } = await pool.run(parse("a.py", "b.py"))
  expect(outcomes.map((outcome) => outcome.status)).toEqual(["indexed", "indexed"])
  expect(segments).toMatchObject([{ files: 2 }])
})

test("gives the same result in this thread, and the same error", async () => {
  using worker = new WorkerPool(1)
  using here = new WorkerPool(1, thisThread)
  const resultOf = async (pool: WorkerPool) => {
    const progress: number[] = []
    const onProgress = (done: number) => void progress.push(done)
    const { times: _, ...result } = await pool.run(parse("a.py", "none.py", "b.py"), { onProgress })
    return { ...result, progress }
  }
  expect(await resultOf(here)).toEqual(await resultOf(worker))
  const missing = { kind: "merge-keyword", folder: "/nowhere", generation: 1, isWhole: true } as const
  const errorOf = (pool: WorkerPool) => pool.run(missing).catch((error: unknown) => error)
  expect(await errorOf(here)).toEqual(await errorOf(worker))
})

test("queues more tasks than workers and returns each result to its caller", async () => {
  spawned = 0
  using pool = new WorkerPool(2, mortal)
  const asked = ["a.py", "b.py", "none.py", "a.py", "b.py"]
  const answers = await Promise.all(asked.map((path) => pool.run(parse(path))))
  const paths = answers.map(({ outcomes: [outcome] }) =>
    outcome!.status === "indexed" ? outcome!.file.path : outcome!.path,
  )
  expect(paths).toEqual(asked)
  expect(spawned).toBe(2)
})

test("fails only the task of a worker that dies and replaces the worker", async () => {
  spawned = 0
  using pool = new WorkerPool(1, mortal)
  const first = pool.run(parse("a.py"))
  const fatal = pool.run(parse("fatal.py")).catch((error: Error) => error)
  const last = pool.run(parse("b.py"))
  expect((await first).outcomes).toHaveLength(1)
  expect(await fatal).toBeInstanceOf(Error)
  expect(((await fatal) as Error).message).toContain("died of it")
  expect((await last).outcomes).toHaveLength(1)
  expect(spawned).toBe(2)
})

test("works with the workers that the system allows, and names the cause when it allows none", async () => {
  let allowed = 1
  const spawn = () => {
    // What the runtime throws when the system refuses a thread.
    if (allowed-- <= 0) throw new TypeError("Failed to spawn worker thread")
    return mortal()
  }
  using pool = new WorkerPool(3, spawn)
  pool.warm()
  const answers = await Promise.all(["a.py", "b.py", "a.py"].map((path) => pool.run(parse(path))))
  expect(answers.map(({ outcomes }) => outcomes[0]!.status)).toEqual(["indexed", "indexed", "indexed"])
  const tasks = ["fatal.py", "a.py", "b.py"].map((path) => pool.run(parse(path)).catch((error) => error))
  const [fatal, ...refused] = await Promise.all(tasks)
  expect(fatal.message).toContain("died of it")
  expect(refused.map(({ code, message }) => [code, message])).toEqual([
    ["IO", "the system refused a thread"],
    ["IO", "the system refused a thread"],
  ])
  allowed = 2
  const alone = { isAlone: true }
  const last = await Promise.all([pool.run(parse("a.py")), pool.run(parse("b.py"), alone)])
  expect(last.map(({ outcomes }) => outcomes[0]!.status)).toEqual(["indexed", "indexed"])
})

test("ends a worker without progress and reports where it was", async () => {
  using pool = new WorkerPool(1, stallingWorker(project.box, "fatal.py"))
  const stalled = pool.run(parse("a.py", "b.py", "fatal.py"), { stallMs: 2000 })
  expect(await stalled.catch((error: Error) => error)).toEqual(new EndedError("too slow", 2))
  expect((await pool.run(parse("b.py"))).outcomes).toHaveLength(1)
})

test("fails only the task that fails without ending its worker", async () => {
  spawned = 0
  using pool = new WorkerPool(1, mortal)
  const broken = { ...parse("a.py"), limits: null } as unknown as ParseTask
  expect(await pool.run(broken).catch((error: Error) => error)).toBeInstanceOf(Error)
  expect((await pool.run(parse("b.py"))).outcomes).toHaveLength(1)
  expect(spawned).toBe(1)
})

test("keeps code and hint of an error thrown in a worker", async () => {
  using pool = new WorkerPool(1)
  const task = { kind: "merge-keyword", folder: "/nowhere", generation: 1, isWhole: true } as const
  await expect(pool.run(task)).rejects.toMatchObject({ code: "INDEX_MISSING", hint: "run: aman index" })
})

test("runs a task marked as alone in a worker of its own, which ends afterwards", async () => {
  spawned = 0
  using pool = new WorkerPool(1, mortal)
  await pool.run(parse("a.py"))
  const alone = pool.run(parse("b.py"), { isAlone: true })
  const last = pool.run(parse("a.py"))
  expect((await alone).outcomes).toHaveLength(1)
  expect((await last).outcomes).toHaveLength(1)
  expect(spawned).toBe(3)
  await pool.run(parse("b.py"))
  expect(spawned).toBe(3)
})

test("reports whether any worker of any pool is busy", async () => {
  const pool = new WorkerPool(1, mortal)
  const first = pool.run(parse("a.py"))
  expect(isAnyWorking()).toBe(true)
  await first
  expect(isAnyWorking()).toBe(false)
  const last = pool.run(parse("a.py")).catch(() => {})
  expect(isAnyWorking()).toBe(true)
  pool.close()
  expect(isAnyWorking()).toBe(false)
  await last
})

test("close ends running and waiting tasks and refuses later ones", async () => {
  const pool = new WorkerPool(1)
  const asked = [pool.run(parse("a.py")), pool.run(parse("b.py"))]
  pool.close()
  asked.push(pool.run(parse("a.py")))
  for (const result of await Promise.allSettled(asked)) expect(result).toMatchObject({ status: "rejected" })
})

test("starts no worker before there is work or a call of warm", async () => {
  spawned = 0
  using pool = new WorkerPool(3, mortal)
  expect(spawned).toBe(0)
  await pool.run(parse("b.py"))
  expect(spawned).toBe(1)
  pool.warm()
  expect(spawned).toBe(3)
})

test("warms up a worker for scans without loading a parser", () => {
  const received: unknown[] = []
  using pool = new WorkerPool(2, () => {
    const worker = mortal()
    const post = worker.postMessage.bind(worker)
    worker.postMessage = (message: unknown) => {
      received.push(message)
      post(message)
    }
    return worker
  })
  pool.warm(1, null)
  expect(received).toEqual([])
  pool.warm()
  expect(received).toEqual(["parse soon"])
})
