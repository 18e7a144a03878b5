import { afterEach, expect, test } from "bun:test"
import { JIT_OPTIONS, nodeEnvironment } from "./reexec.ts"

const own = { ...process.env }

afterEach(() => {
  for (const name of Object.keys(JIT_OPTIONS)) {
    if (own[name] === undefined) delete process.env[name]
    else process.env[name] = own[name]
  }
})

test("starts a query node without the options of short runs, and with the engine's FTL", () => {
  Object.assign(process.env, JIT_OPTIONS)
  const started = nodeEnvironment({ HOME: "/home/ada", BUN_JSC_heapGrowthMaxIncrease: "0.3", ...JIT_OPTIONS })
  expect(started).toEqual({
    ...{ HOME: "/home/ada", ...JIT_OPTIONS },
    BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "64000",
  })
})
