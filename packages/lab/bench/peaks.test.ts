import { expect, test } from "bun:test"
import { phasesIn } from "./peaks.ts"

test("recognizes phases by the beginning of lines, however the lines are cut", async () => {
  const bytes = new TextEncoder().encode(
    "Looking for files  70 files\n«Writing» is a word here\nReading files  3 of 9\nWriting what words are where\n",
  )
  for (const size of [1, 7, bytes.length]) {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    expect(await Array.fromAsync(phasesIn(pieces()))).toEqual(["Looking", "Reading", "Writing"])
  }
})
