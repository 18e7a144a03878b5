import { expect, test } from "bun:test"
import { MemoryGate } from "./memory-gate.ts"

/** Each piece holds memory while it runs, and some of it until somebody asks for it back. */
function workshop(limitBytes: number, heldBytes: number, keptBytes: number) {
  let underWay = 0
  let kept = 0
  let most = 0
  let mostBytes = 0
  let relieved = 0
  const residentBytes = () => underWay * heldBytes + kept
  const gate = new MemoryGate({
    limitBytes,
    residentBytes,
    relieve: () => {
      expect(underWay).toBe(0)
      kept = 0
      relieved++
    },
  })
  const piece = async () => {
    underWay++
    most = Math.max(most, underWay)
    mostBytes = Math.max(mostBytes, residentBytes())
    await Bun.sleep(1)
    underWay--
    kept += keptBytes
  }
  const lane = async () => {
    for (let i = 0; i < 10; i++) await gate.pass(piece)
  }
  const run = async (lanes: number) => {
    await Promise.all(Array.from({ length: lanes }, lane))
    return { most, mostBytes, relieved, pauses: gate.pauses }
  }
  return run
}

test("with room, work runs side by side and nobody waits", async () => {
  expect(await workshop(1000, 10, 0)(4)).toEqual({ most: 4, mostBytes: 40, relieved: 0, pauses: 0 })
})

test("under pressure it pauses, gives memory back and goes on, never above the limit", async () => {
  const { most, mostBytes, relieved, pauses } = await workshop(1000, 200, 50)(4)
  expect(most).toBeGreaterThan(1)
  expect(mostBytes).toBeLessThanOrEqual(1000 + 200)
  expect(relieved).toBeGreaterThan(0)
  expect(pauses).toBe(relieved)
})

test("a limit too tight for one piece lets them through one by one", async () => {
  expect(await workshop(10, 100, 100)(4)).toMatchObject({ most: 1, pauses: 39 })
})

test("work that fails makes room, too", async () => {
  const gate = new MemoryGate({ limitBytes: 0, residentBytes: () => 1, relieve: () => {} })
  const failed = gate.pass(() => Promise.reject(new Error("no")))
  const next = gate.pass(async () => "yes")
  expect(failed).rejects.toThrow("no")
  expect(await next).toBe("yes")
})

test("a piece that takes more waits for what others hold, where an ordinary one would not", async () => {
  const events: string[] = []
  let resident = 50
  const gate = new MemoryGate({
    limitBytes: 100,
    residentBytes: () => resident,
    relieve: () => {
      events.push("relieved")
      resident = 10
    },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = gate.pass(() => promise)
  const large = gate.pass(async () => void events.push("large"), 60)
  const small = gate.pass(async () => void events.push("small"))
  await small
  expect(events).toEqual(["small"])
  resolve()
  await Promise.all([first, large])
  expect(events).toEqual(["small", "relieved", "large"])
})
