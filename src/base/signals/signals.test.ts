import { describe, expect, test } from "bun:test"
import { join } from "node:path"

const BUSY = join(import.meta.dir, "../../../test/busy-process.ts")

async function startBusy(stdin: "ignore" | "pipe") {
  const child = Bun.spawn([process.execPath, BUSY], { stdin, stdout: "pipe", stderr: "inherit" })
  await child.stdout.getReader().read()
  return child
}

// Windows has neither these signals nor a way to see them from another thread.
describe.skipIf(process.platform === "win32")("a process whose main thread computes", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "is ended some seconds after one %s",
    async (name) => {
      const child = await startBusy("ignore")
      child.kill(name)
      await child.exited
      expect(child.signalCode).toBe("SIGKILL")
    },
    60_000,
  )

  test("ends at once at the second signal of a kind", async () => {
    const child = await startBusy("ignore")
    // Sends the signal repeatedly: the process may not have received the first one when the second comes, and
    // two pending signals of a kind count as one.
    const timer = setInterval(() => child.kill("SIGTERM"), 100)
    await child.exited
    clearInterval(timer)
    expect(child.signalCode).toBe("SIGTERM")
  }, 60_000)

  test("ends some time after its client is gone", async () => {
    const child = await startBusy("pipe")
    child.stdin?.end()
    await child.exited
    expect(child.signalCode).toBe("SIGKILL")
  }, 90_000)
})
