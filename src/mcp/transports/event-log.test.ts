import { expect, test } from "bun:test"
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { EventLog } from "./event-log.ts"

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
