import { afterAll, describe, expect, test } from "bun:test"
import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { Workspace } from "./harness.ts"

const NOBODY = 65534
const isPosix = process.platform !== "win32"

describe.skipIf(!isPosix)("the native library", () => {
  const space = new Workspace({ file: "" })
  const data = join(space.dir, "data")
  const folder = join(data, "native")
  afterAll(() => space[Symbol.dispose]())

  /** What `aman doctor` says about vectors. */
  async function checked(env: Record<string, string> = {}): Promise<{ state: string; message: string }> {
    const { stdout } = await space.run(["doctor", "--json"], { env: { AMAN_DATA_DIR: data, ...env } })
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; message: string }[] }
    return checks.find(({ name }) => name === "vectors")!
  }

  /** The unpacked file; null on a system for which there is none. */
  async function unpacked(): Promise<string | null> {
    const { state } = await checked()
    return state === "ok" ? join(folder, readdirSync(folder)[0]!) : null
  }

  test("is unpacked into a folder that only the user may enter, and nothing into the temporary folder", async () => {
    if ((await unpacked()) === null) return
    expect(readdirSync(folder)).toHaveLength(1)
    expect([data, folder].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700])
    expect(readdirSync(space.dir).filter((name) => name.endsWith(".node"))).toEqual([])
  })

  const PLANTED: Record<string, (path: string, sound: Buffer) => void> = {
    "a file of the same size": (path, sound) => writeFileSync(path, Buffer.alloc(sound.length)),
    "half of it": (path, sound) => writeFileSync(path, sound.subarray(0, sound.length / 2)),
    "a link": (path) => {
      renameSync(path, join(space.dir, "elsewhere"))
      symlinkSync(join(space.dir, "elsewhere"), path)
    },
  }
  test(`is unpacked again in place of ${Object.keys(PLANTED).join(", ")}`, async () => {
    const path = await unpacked()
    if (path === null) return
    const sound = readFileSync(path)
    for (const [name, plant] of Object.entries(PLANTED)) {
      plant(path, sound)
      expect([name, (await checked()).state]).toEqual([name, "ok"])
      expect([name, readFileSync(path).equals(sound)]).toEqual([name, true])
      expect(readdirSync(folder, { withFileTypes: true }).map((file) => file.isFile())).toEqual([true])
    }
  })

  test.skipIf(process.getuid?.() !== 0)("is not loaded from a folder of others", async () => {
    if ((await unpacked()) === null) return
    // There is no other place for it.
    const env = { TMPDIR: join(space.project, "file") }
    const said = async () => (await checked(env)).message
    chmodSync(folder, 0o777)
    expect(await said()).toContain("other users may write into it")
    chmodSync(folder, 0o700)
    chownSync(folder, NOBODY, NOBODY)
    expect(await said()).toContain("it belongs to another user")
    renameSync(folder, join(space.dir, "other"))
    symlinkSync(join(space.dir, "other"), folder)
    expect(await said()).toContain("it belongs to another user")
    expect((await checked()).state).toBe("ok")
  })
})
