import { expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir, totalmem } from "node:os"
import { dirname, join } from "node:path"
import { cgroupLimitBytes, defaultMemoryLimitBytes, machineMemoryBytes } from "./memory.ts"

const GIB = 1024 ** 3

test("defaults to 40 % of the machine's memory, at most 16 GiB", () => {
  expect(defaultMemoryLimitBytes(10 * GIB)).toBe(4 * GIB)
  expect(defaultMemoryLimitBytes(40 * GIB)).toBe(16 * GIB)
  expect(defaultMemoryLimitBytes(512 * GIB)).toBe(16 * GIB)
  expect(defaultMemoryLimitBytes()).toBeLessThanOrEqual(totalmem() * 0.4)
})

test.each([
  ["no cgroup", {}, Number.POSITIVE_INFINITY],
  [
    "unlimited",
    { "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n" },
    Number.POSITIVE_INFINITY,
  ],
  ["version 2", { "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n" }, 536_870_912],
  [
    "a tighter ancestor",
    {
      "proc/self/cgroup": "0::/pod/box\n",
      "sys/fs/cgroup/pod/memory.max": "1000000\n",
      "sys/fs/cgroup/pod/box/memory.max": "2000000\n",
    },
    1_000_000,
  ],
  [
    "version 1",
    {
      "proc/self/cgroup": "9:cpu:/x\n5:memory,hugetlb:/docker/abc\n",
      "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "3000000\n",
    },
    3_000_000,
  ],
])("cgroup limit: %s", (_, files, expected) => {
  const root = mkdtempSync(join(tmpdir(), "aman-cgroup-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  expect(cgroupLimitBytes(root)).toBe(expected)
  if (process.platform === "linux") expect(machineMemoryBytes(root)).toBe(Math.min(totalmem(), expected))
  rmSync(root, { recursive: true })
})
