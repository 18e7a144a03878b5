import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { FIXTURES, filesBelow, SetupHome } from "./setup-home.ts"

setDefaultTimeout(60_000)

// The golden files show everything that setup writes, for review; UPDATE_GOLDEN=1 writes them.
const UPDATE = Boolean(process.env["UPDATE_GOLDEN"])

const clients = readdirSync(FIXTURES).sort()

test("every client has its files in the fixtures", async () => {
  using home = new SetupHome()
  const { clients: known } = JSON.parse((await home.run(["setup", "--json", "--remove"])).stdout)
  expect(known.map(({ id }: { readonly id: string }) => id).sort()).toEqual(clients)
})

describe.each(clients.map((client) => [client]))("%s", (client) => {
  test("changes a person's files once to the expected ones, and restores them with --remove", async () => {
    using home = new SetupHome(client)
    const before = filesBelow(home.home)
    expect((await home.run(["setup", client, "--yes"])).code).toBe(0)
    const after = filesBelow(home.home)
    if (UPDATE) write(client, after, home)
    expect(portable(after, home)).toEqual(filesBelow(join(FIXTURES, client, "after")))

    const again = await home.run(["setup", client, "--yes"])
    expect(again.stdout).toContain("nothing to change")
    expect(filesBelow(home.home)).toEqual(after)

    expect((await home.run(["setup", client, "--remove", "--yes"])).code).toBe(0)
    expect(filesBelow(home.home)).toEqual(before)
  })

  test("removes files and folders that setup created", async () => {
    using home = new SetupHome()
    expect((await home.run(["setup", client, "--yes"])).code).toBe(0)
    expect(Object.keys(filesBelow(home.home)).length).toBeGreaterThan(0)
    expect((await home.run(["setup", client, "--remove", "--yes"])).code).toBe(0)
    expect(readdirSync(home.home)).toEqual([".local"])
  })

  test("keeps later edits and removes all entries of aman", async () => {
    using home = new SetupHome(client)
    const before = filesBelow(home.home)
    await home.run(["setup", client, "--yes"])
    for (const path of Object.keys(before)) home.put(path, edited(path, home.text(path)))
    expect((await home.run(["setup", client, "--remove", "--yes"])).code).toBe(0)
    const expected = Object.entries(before).map(([path, text]) => [path, edited(path, text)])
    expect(filesBelow(home.home)).toEqual(Object.fromEntries(expected))
  })
})

/**
 * The file as a person might have edited it: with a comment line at the top, or for JSON with a member of
 * their own.
 */
function edited(path: string, text: string): string {
  if (/\.jsonc?$/.test(path)) return text.replace("{", '{ "mine": ["kept"], ')
  return `# mine\n${text}`
}

function portable(files: Readonly<Record<string, string>>, home: SetupHome): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replaceAll(home.bin, "/usr/local/bin")]),
  )
}

function write(client: string, files: Readonly<Record<string, string>>, home: SetupHome): void {
  const folder = join(FIXTURES, client, "after")
  rmSync(folder, { recursive: true, force: true })
  for (const [path, text] of Object.entries(portable(files, home))) {
    const full = join(folder, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text)
  }
}
