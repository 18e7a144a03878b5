import { afterAll, mock } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import os from "node:os"
import { join, relative } from "node:path"
import type * as FastCheck from "fast-check"
import { ownEnvironment } from "./own-environment.ts"

// Tests neither read nor change the settings and indexes of the person who runs them (test/own-home.test.ts).
const home = mkdtempSync(join(os.tmpdir(), "aman-home-"))
const own = ownEnvironment(home, process.env)
for (const name of Object.keys(process.env)) if (own[name] === undefined) delete process.env[name]
Object.assign(process.env, own)

// The runtime uses the environment it was started with for the system's home folder and for children without
// `env`, so both are replaced.
const homedir = () => home
mock.module("node:os", () => ({ ...os, homedir, default: { ...os, homedir } }))
const { spawn, spawnSync } = Bun
Bun.spawn = withOwnEnvironment(spawn)
Bun.spawnSync = withOwnEnvironment(spawnSync)

/** Both functions take the options as a second argument, or together with the command in the first. */
// biome-ignore lint/suspicious/noExplicitAny: the overloads of both have no common type
function withOwnEnvironment<T extends (...given: any[]) => unknown>(act: T): T {
  return ((command, options) =>
    Array.isArray(command)
      ? act(command, { env: process.env, ...options })
      : act({ env: process.env, ...command })) as T
}

// The same random cases in each run, and a quarter of the runs that a property names, at least ten of them. `bun run soak`
// tries other cases, and more of them. Loaded only for a file that imports it, because loading takes 10 ms.
mock.module("fast-check", () => {
  // The same module in the form that is not replaced.
  const fc: typeof FastCheck = require("../node_modules/fast-check/lib/cjs/fast-check.js")
  fc.configureGlobal({ seed: Number(process.env["AMAN_TEST_SEED"] ?? 1) })
  const share = Number(process.env["AMAN_TEST_SHARE"] ?? 0.25)
  const assert = (<T>(
    property: FastCheck.IRawProperty<T>,
    { numRuns = 100, ...parameters }: FastCheck.Parameters<T> = {},
  ) =>
    fc.assert(property, {
      ...parameters,
      numRuns: Math.max(Math.min(numRuns, 10), Math.ceil(numRuns * share)),
    })) as typeof fc.assert
  return { ...fc, assert, default: { ...fc, assert } }
})

// Tells scripts/test.ts which file this process runs, so that it can name a file whose tests do not end.
const folder = process.env["AMAN_TEST_RUNNING"]
const note = folder === undefined ? null : join(folder, String(process.pid))
if (note !== null) writeFileSync(note, relative(process.cwd(), Bun.main))

// Runs after the tests of a file, because a test process fires no "exit".
afterAll(() => {
  rmSync(home, { recursive: true, force: true })
  if (note !== null) rmSync(note, { force: true })
})
