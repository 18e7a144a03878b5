import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { folderName } from "./address.ts"
import { type Manifest, newState, readManifest, writeManifest } from "./manifest.ts"

let box: string
let path: string
beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), "aman-manifest-"))
  path = join(box, "state", "manifest.json")
})
afterEach(() => rmSync(box, { recursive: true }))

const URL = "git@github.com:Org/my_repo"
const MANIFEST: Manifest = {
  version: 1,
  last_sync: "2026-01-02T03:04:05.000Z",
  repos: {
    [folderName(URL)]: {
      ...newState(URL),
      file_count: 3,
      error: "gone",
      error_at: "2026-01-02T03:04:05.000Z",
    },
  },
}

test("reads what was written, and leaves nothing else in the folder", () => {
  expect(readManifest(path)).toEqual({ manifest: { version: 1, last_sync: null, repos: {} }, damage: null })
  writeManifest(path, MANIFEST)
  writeManifest(path, MANIFEST)
  expect(readManifest(path)).toEqual({ manifest: MANIFEST, damage: null })
  expect(readdirSync(join(box, "state"))).toEqual(["manifest.json"])
})

test.each(["", "{", "null", "[]", '{"version":2,"repos":{}}', '{"version":1,"repos":null}'])(
  "reports that %s is damaged",
  (text) => {
    writeManifest(path, MANIFEST)
    writeFileSync(path, text)
    expect(readManifest(path)).toMatchObject({ manifest: { repos: {} }, damage: `${path} is damaged` })
  },
)

test("ignores entries that are not ours, and takes the address from the folder name", () => {
  writeManifest(path, MANIFEST)
  const repos = {
    "Not Ours": {},
    [folderName(URL)]: { url: "https://me:secret@elsewhere/x", file_count: "many", error: 3 },
  }
  writeFileSync(path, JSON.stringify({ version: 1, last_sync: 5, repos }))
  expect(readManifest(path).manifest).toEqual({
    version: 1,
    last_sync: null,
    repos: { [folderName(URL)]: newState(URL) },
  })
})

test("keeps the old manifest and names the remedy if it cannot be written", () => {
  writeManifest(path, MANIFEST)
  // A file where the folder should be: not even the superuser can write below it.
  const blocked = join(box, "file")
  writeFileSync(blocked, "")
  expect(() => writeManifest(join(blocked, "manifest.json"), MANIFEST)).toThrow("cannot write")
  expect(existsSync(path)).toBe(true)
})
