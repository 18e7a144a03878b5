import { expect, test } from "bun:test"
import { join } from "node:path"
import { olderGlibc } from "./watchdog.ts"

const isGlibc = process.platform === "linux" && olderGlibc() !== null

// Later versions of glibc still have the libraries of the older ones, without content of their own.
test.skipIf(!isGlibc)("ends a process that computes forever, with the libraries of glibc before 2.34", () => {
  const watchdog = join(import.meta.dir, "watchdog.ts")
  const program = `
    import { linuxTimer, olderGlibc } from ${JSON.stringify(watchdog)}
    linuxTimer(olderGlibc()).endAfter(50)
    for (;;) {}`
  const { exitCode } = Bun.spawnSync([process.execPath, "-e", program], { timeout: 20_000 })
  expect(exitCode).toBe(0)
})
