import { expect, test } from "bun:test"
import { createSegmentBuilder } from "./builder.ts"
import { openState, placeOf } from "./segment-state.ts"

test("a file is found by its id, the first time and the thousandth", () => {
  const builder = createSegmentBuilder()
  const ids = [7, 3, 11]
  for (const [i, id] of ids.entries()) {
    const rows = { start: 0, end: 2, startLine: 1, endLine: 1, symbols: [] }
    builder.add({
      id,
      path: `${i}.ts`,
      text: "a\n",
      lines: 1,
      flags: 0,
      comments: new Uint32Array(),
      chunks: [rows],
    })
  }
  const state = openState(builder.finish())
  for (let time = 0; time < 1_000; time++) {
    for (const [file, id] of ids.entries()) expect(placeOf(state, id)).toBe(file)
    expect(placeOf(state, 4)).toBeUndefined()
  }
})
