import { expect, test } from "bun:test"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layOut } from "../../src/ask/team/revision.ts"
import { contentHash } from "../../src/text/files/read-source.ts"
import { cutRevision } from "./cut-revision.ts"

test("a branch's blobs are based on those of its repository and give the same files again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-cut-"))
  const blobs = new Map<string, Uint8Array>()
  const store = { get: async (hash: string) => blobs.get(hash) ?? null }
  const keep = async (hash: string, bytes: Uint8Array) => {
    blobs.set(hash, bytes)
  }
  // Random letters, which only a dictionary compresses well.
  const random = new Bun.CryptoHasher("sha512")
  const text = (length: number) =>
    Array.from({ length: length / 64 }, (_, i) => random.copy().update(`${i}`).digest("base64").slice(0, 64))
  const files = ["a.ts", "src/b.ts"]
  const index = ["index.db", "keyword-1.seg", "vectors-1-2.vec"]
  const one = join(folder, "one")
  for (const inner of ["index", "tree/src"]) mkdirSync(join(one, inner), { recursive: true })
  for (const [i, name] of index.entries())
    writeFileSync(
      join(one, "index", name),
      text(700_000)
        .slice(i * 9)
        .join("\n"),
    )
  for (const name of files) writeFileSync(join(one, "tree", name), text(20_000).join("\n"))
  const two = join(folder, "two")
  cpSync(one, two, { recursive: true })
  for (const name of ["index/index.db", "index/keyword-1.seg", "tree/a.ts"])
    writeFileSync(join(two, name), readFileSync(join(two, name), "utf8").replaceAll("AB", "BA"))
  const cut = (tree: string, base: Parameters<typeof cutRevision>[2] = null) => {
    const listed = files.map((path) => {
      const content = readFileSync(join(tree, "tree", path))
      return { path, hash: contentHash(content), size: content.length }
    })
    return cutRevision({ root: join(tree, "tree"), indexDir: join(tree, "index"), files: listed }, keep, base)
  }

  const whole = await cut(one)
  const size = () => [...blobs.values()].reduce((sum, { length }) => sum + length, 0)
  const before = size()
  const branch = await cut(two, { manifest: whole, store })
  expect(whole.bases).toEqual({})
  expect(Object.keys(branch.bases)).not.toEqual([])
  expect(branch.index[2]).toEqual(whole.index[2]!)
  expect(size() - before).toBeLessThan(before / 10)
  for (const [name, manifest] of Object.entries({ one: whole, two: branch })) {
    const laid = new Map<string, string>()
    const add = (path: string, content: Uint8Array) => laid.set(path, Buffer.from(content).toString())
    await layOut(store, manifest, join(folder, `${name}-laid`), { add })
    for (const path of files)
      expect(laid.get(path)).toBe(readFileSync(join(folder, name, "tree", path), "utf8"))
    for (const path of index)
      expect(readFileSync(join(folder, `${name}-laid`, path))).toEqual(
        readFileSync(join(folder, name, "index", path)),
      )
  }
  rmSync(folder, { recursive: true, force: true })
})
