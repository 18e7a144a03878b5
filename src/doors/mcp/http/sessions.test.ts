import { afterEach, expect, test } from "bun:test"
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import type { Connection } from "../session/session.ts"
import type { MessageGate } from "../transports/gate.ts"
import { EventLog, type HttpSession, Sessions } from "./sessions.ts"

let now = 0
let sessions: Sessions<HttpSession>
afterEach(() => sessions.close())

let count = 0
function open(owner = 0, busy: Partial<HttpSession> = {}): Promise<HttpSession | null> {
  const connection = { [Symbol.asyncDispose]: async () => {} } as unknown as Connection
  const gate = { open: 0 } as unknown as MessageGate
  const id = `s${count++}`
  return sessions.add(owner, async () => ({
    id,
    owner,
    gate,
    connection,
    listening: 0,
    seenAt: now,
    ...busy,
  }))
}

function start(max: number, owners: number): void {
  now = 0
  sessions = new Sessions({ max, owners, idleMs: 1_800_000, now: () => now })
}

test("limits each of several tokens to half of the sessions", async () => {
  start(4, 2)
  expect(await open(0)).not.toBeNull()
  expect(await open(0)).not.toBeNull()
  expect(await open(0)).toBeNull()
  expect(sessions.limitFor(0)).toBe(2)
  expect(await open(1)).not.toBeNull()
  expect(await open(1)).not.toBeNull()
  expect(sessions.count()).toBe(4)
})

test("gives a single token all sessions, and counts sessions being opened", async () => {
  start(3, 1)
  const made = await Promise.all([open(), open(), open(), open()])
  expect(made.filter((session) => session === null)).toHaveLength(1)
})

test("closes the longest idle session after a minute, never a busy or listening one", async () => {
  start(3, 1)
  const first = await open(0, { listening: 1 })
  const second = await open(0, { gate: { open: 1 } as unknown as MessageGate })
  now = 1
  const third = await open()
  now = 60_000
  expect(await open()).toBeNull()
  now = 60_001
  expect(await open()).not.toBeNull()
  expect(sessions.find(first!.id, 0)).toBe(first)
  expect(sessions.find(second!.id, 0)).toBe(second)
  expect(sessions.find(third!.id, 0)).toBeNull()
})

test("never closes a session of another token", async () => {
  start(2, 2)
  const other = await open(1)
  expect(await open(0)).not.toBeNull()
  now = 100_000
  expect(await open(0)).not.toBeNull()
  expect(sessions.find(other!.id, 1)).toBe(other)
})

const message = (id: number, text = ""): JSONRPCMessage => ({ jsonrpc: "2.0", id, result: { text } })

async function replayed(log: EventLog, last: string): Promise<number[]> {
  const ids: number[] = []
  await log.replayEventsAfter(last, { send: async (_, each) => void ids.push((each as { id: number }).id) })
  return ids
}

test("replays later events of the same stream in order", async () => {
  const log = new EventLog(10_000)
  const first = await log.storeEvent("a", {} as JSONRPCMessage)
  await log.storeEvent("b", message(1))
  await log.storeEvent("a", message(2))
  const third = await log.storeEvent("a", message(3))
  expect(await replayed(log, first)).toEqual([2, 3])
  expect(await replayed(log, third)).toEqual([])
  expect(await log.getStreamIdForEventId(third)).toBe("a")
})

test("drops the oldest events and reports an error to a client that resumes from them", async () => {
  const log = new EventLog(1000)
  const first = await log.storeEvent("a", message(1))
  for (let id = 2; id < 20; id++) await log.storeEvent("a", message(id, "x".repeat(100)))
  await expect(replayed(log, first)).rejects.toThrow("no longer stored")
  const alone = await log.storeEvent("a", message(99, "x".repeat(5000)))
  expect(await log.getStreamIdForEventId(alone)).toBeUndefined()
})
