import { expect, test } from "bun:test"
import { noteFigures } from "./figures.ts"
import { explore, type Setting } from "./lead-model.ts"

/** Number of servers in the model: 2, and 3 in the soak, which gives a million states. */
const SERVERS = Number(process.env["AMAN_TEST_LEADERS"] ?? 2)
const SETTING: Setting = { servers: SERVERS, cleans: 1, crashes: 1, removals: 0 }

test("no order of steps lets two leaders commit to one index, and a living server can always get the work done", () => {
  const { states, violation, stuck } = explore(SETTING)
  expect({ violation, stuck }).toEqual({ violation: [], stuck: [] })
  expect(states).toBeGreaterThan(1_000)
  noteFigures("lead model", { servers: SERVERS, states })
}, 600_000)

test("a lock file removed by hand costs at most one commit of the former leader, and stops no work", () => {
  const { violation, stuck } = explore({ servers: 2, cleans: 0, crashes: 1, removals: 1 })
  expect({ violation, stuck }).toEqual({ violation: [], stuck: [] })
})

test.each([
  ["stat after locking", { ...SETTING, servers: 2 }],
  ["lock last in clean", { ...SETTING, servers: 2, crashes: 0 }],
  ["held before committing", { servers: 2, cleans: 0, crashes: 0, removals: 1 }],
] as const)("without the step «%s» the model finds two leaders", (without, setting) => {
  expect(explore({ ...setting, without }).violation).not.toEqual([])
})
