import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { OpenFolder } from "../../base/files/open-folder.ts"
import { LeaderLock, LeaderLockWatch } from "./lead.ts"

let folder: string
let lock: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "aman-lead-")))
  lock = join(folder, "lock.db")
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A second process that takes the lock and keeps it until it is told to end. */
async function otherProcess() {
  const source = JSON.stringify(join(import.meta.dir, "lead.ts"))
  const program = `const { LeaderLock } = await import(${source})
    const lead = LeaderLock.take(${JSON.stringify(folder)})
    console.log(lead === null ? "refused" : "taken")
    await Bun.stdin.text()`
  const child = Bun.spawn([process.execPath, "-e", program], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const { value } = await child.stdout.getReader().read()
  return { answer: new TextDecoder().decode(value).trim(), child }
}

async function end(
  { child }: Awaited<ReturnType<typeof otherProcess>>,
  how: "close" | "kill",
): Promise<void> {
  if (how === "kill") child.kill("SIGKILL")
  else child.stdin.end()
  await child.exited
}

test("lets one process lead at a time, and the next after a release", () => {
  const first = LeaderLock.take(folder)!
  expect(first.held).toBe(true)
  expect(LeaderLock.take(folder)).toBeNull()
  first.release()
  using second = LeaderLock.take(folder)!
  expect(second.held).toBe(true)
  expect(LeaderLock.take(folder)).toBeNull()
})

test.each([false, true])("removes the lock file at the end, given up first: %p", (isWindows) => {
  const lead = LeaderLock.take(folder)!
  lead.removeFile(isWindows)
  expect([readdirSync(folder), lead.held]).toEqual([[], false])
  using next = LeaderLock.take(folder)!
  lead.release()
  expect(next.held).toBe(true)
})

test("refuses another process while this one leads", async () => {
  using lead = LeaderLock.take(folder)!
  const other = await otherProcess()
  expect(other.answer).toBe("refused")
  await end(other, "close")
  expect(lead.held).toBe(true)
})

test("can be taken after the leader was killed", async () => {
  const other = await otherProcess()
  expect(other.answer).toBe("taken")
  expect(LeaderLock.take(folder)).toBeNull()
  await end(other, "kill")
  using lead = LeaderLock.take(folder)!
  expect(lead.held).toBe(true)
})

test("replaces a lock file that is no database", () => {
  writeFileSync(lock, "this is no database, whatever its name says; ".repeat(50))
  using lead = LeaderLock.take(folder)!
  expect(lead.held).toBe(true)
  expect(LeaderLock.take(folder)).toBeNull()
})

test("is lost when its file is removed or replaced", () => {
  using first = LeaderLock.take(folder)!
  rmSync(lock)
  expect(first.held).toBe(false)
  using second = LeaderLock.take(folder)!
  expect(second.held).toBe(true)
  expect(first.held).toBe(false)
})

test("consists of one empty file, before and after", () => {
  LeaderLock.take(folder)!.release()
  expect(readdirSync(folder)).toEqual(["lock.db"])
  expect(Bun.file(lock).size).toBe(0)
})

test("the watch sees that another process leads, that it ended, and that the file was replaced", async () => {
  using watch = new LeaderLockWatch(() => OpenFolder.open(folder))
  expect(watch.isFree()).toBe(true)
  for (const how of ["close", "kill"] as const) {
    const other = await otherProcess()
    expect([watch.isFree(), watch.isFree()]).toEqual([false, false])
    await end(other, how)
    expect(watch.isFree()).toBe(true)
  }
  const other = await otherProcess()
  expect(watch.isFree()).toBe(false)
  rmSync(lock)
  expect(watch.isFree()).toBe(true)
  using second = LeaderLock.take(folder)!
  expect(second.held).toBe(true)
  await end(other, "close")
})

test("polling the lock does not block other processes and changes no irregular file", async () => {
  using watch = new LeaderLockWatch(() => OpenFolder.open(folder))
  const first = LeaderLock.take(folder)!
  first.release()
  expect(watch.isFree()).toBe(true)
  const other = await otherProcess()
  expect(other.answer).toBe("taken")
  expect(watch.isFree()).toBe(false)
  await end(other, "close")
  writeFileSync(`${lock}-journal`, "planted")
  expect(watch.isFree()).toBe(true)
  expect(readFileSync(`${lock}-journal`, "utf8")).toBe("planted")
  rmSync(`${lock}-journal`)
  rmSync(lock)
  symlinkSync(join(folder, "elsewhere.db"), lock)
  expect(watch.isFree()).toBe(true)
  expect(readdirSync(folder)).toEqual(["lock.db"])
})

// Windows cannot remove an open file.
test.skipIf(process.platform === "win32")(
  "a process that leads while another removes the folder has locked an existing file",
  async () => {
    const source = JSON.stringify(join(import.meta.dir, "lead.ts"))
    const program = (then: string) => `const { LeaderLock } = await import(${source})
    const { existsSync, mkdirSync, rmdirSync, rmSync } = await import("node:fs")
    const folder = ${JSON.stringify(join(folder, "index"))}
    const lock = folder + "/lock.db"
    let led = 0, lost = 0
    for (const end = Date.now() + 1500; Date.now() < end; ) {
      let lead = null
      // The folder may go at any moment.
      try {
        mkdirSync(folder, { recursive: true })
        lead = LeaderLock.take(folder)
      } catch {}
      if (lead === null) continue
      led++
      ${then}
      lead.release()
    }
    console.log(led > 0, lost)`
    const leads = program("if (!existsSync(lock)) lost++")
    const removes = program("rmSync(lock); try { rmdirSync(folder) } catch {}")
    const children = [removes, leads, leads].map((text) =>
      Bun.spawn([process.execPath, "-e", text], { stdout: "pipe", stderr: "inherit" }),
    )
    expect(await Promise.all(children.map((child) => child.stdout.text()))).toEqual(Array(3).fill("true 0\n"))
  },
)
