import { afterAll, mock } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import os from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { ownEnvironment } from "./own-environment.ts"

// Tests neither see nor change what the person who runs them has set or indexed (test/own-home.test.ts).
const home = mkdtempSync(join(os.tmpdir(), "aman-home-"))
const own = ownEnvironment(home, process.env)
for (const name of Object.keys(process.env)) if (own[name] === undefined) delete process.env[name]
Object.assign(process.env, own)

// The runtime keeps the environment that it was started with for these: the system's home, and children without `env`.
const homedir = () => home
mock.module("node:os", () => ({ ...os, homedir, default: { ...os, homedir } }))
const { spawn, spawnSync } = Bun
Bun.spawn = withOwnEnvironment(spawn)
Bun.spawnSync = withOwnEnvironment(spawnSync)

/** Both take the options behind the command, or with the command among them. */
// biome-ignore lint/suspicious/noExplicitAny: the overloads of both have no common type
function withOwnEnvironment<T extends (...given: any[]) => unknown>(act: T): T {
  return ((command, options) =>
    Array.isArray(command)
      ? act(command, { env: process.env, ...options })
      : act({ env: process.env, ...command })) as T
}

// The same cases each time; `bun run soak` and AMAN_TEST_SEED choose others.
fc.configureGlobal({ seed: Number(process.env["AMAN_TEST_SEED"] ?? 1) })

// After those of all files; a test process fires no "exit".
afterAll(() => rmSync(home, { recursive: true, force: true }))
