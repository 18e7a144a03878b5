import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BlobStore, openBlobStore } from "../../packages/team/blobs/blob-store.ts"
import { Catalogue } from "../../packages/team/catalogue/catalogue.ts"
import { collectGarbage, Upload } from "../../packages/team/catalogue/revisions.ts"
import { getBlob } from "../../src/ask/team/revision.ts"
import { sha256 } from "../../src/base/files/files.ts"
import { hasPostgres, Postgres } from "../postgres.ts"
import { S3Store } from "../s3-store.ts"

const PLACES = ["database", "folder", "S3"] as const

describe.skipIf(!hasPostgres)("a store of blobs", () => {
  let postgres: Postgres
  let catalogue: Catalogue
  let s3: S3Store
  const folder = mkdtempSync(join(tmpdir(), "aman-blobs-"))
  const stores = {} as Record<(typeof PLACES)[number], BlobStore>

  beforeAll(async () => {
    postgres = await Postgres.start()
    catalogue = await Catalogue.open(postgres.url)
    s3 = await S3Store.start()
    stores.database = openBlobStore(catalogue, "", {})
    stores.folder = openBlobStore(catalogue, join(folder, "blobs"), {})
    stores.S3 = openBlobStore(catalogue, s3.env["AMAN_TEAM_BLOBS"]!, s3.env)
  }, 60_000)
  afterAll(async () => {
    await catalogue?.[Symbol.asyncDispose]()
    await s3?.[Symbol.asyncDispose]()
    await postgres?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(PLACES)(
    "in the %s returns the bytes that it got, and null for those that it never got",
    async (place) => {
      const store = stores[place]
      for (const bytes of [Buffer.from("short"), Buffer.alloc(700_000, "long ")]) {
        const hash = sha256(bytes)
        expect(await store.get(hash)).toBeNull()
        await store.put(hash, bytes)
        await store.put(hash, bytes)
        expect(Buffer.from((await store.get(hash))!).equals(bytes)).toBe(true)
        expect(Buffer.from(await getBlob(store, hash)).equals(bytes)).toBe(true)
      }
      const never = getBlob(store, sha256("never"))
      expect(never).rejects.toMatchObject({ code: "TEAM", message: expect.stringContaining("is missing") })
      await never.catch(() => {})
    },
  )

  test.each(PLACES)("in the %s returns no bytes that do not have the name's hash", async (place) => {
    const store = stores[place]
    const hash = sha256(`another text, ${place}`)
    await store.put(hash, Buffer.from("a text"))
    const damaged = getBlob(store, hash)
    expect(damaged).rejects.toMatchObject({ code: "TEAM", message: expect.stringContaining("is damaged") })
    await damaged.catch(() => {})
  })

  test.each(["folder", "S3"] as const)(
    "in the %s removes what it is told to, and nothing else",
    async (place) => {
      const store = stores[place]
      const [gone, kept] = ["gone", "kept"].map((each) => Buffer.from(each)) as [Buffer, Buffer]
      for (const bytes of [gone, kept]) await store.put(sha256(bytes), bytes)
      await store.remove!([sha256(gone), sha256("never")])
      expect(await store.get(sha256(gone))).toBeNull()
      expect(await store.get(sha256(kept))).not.toBeNull()
    },
  )

  test("a blob that is uploaded again while its bytes are being removed is there afterwards", async () => {
    const bytes = Buffer.from("wanted again")
    const hash = sha256(bytes)
    const { folder } = stores
    await new Upload(catalogue, folder).keep(hash, bytes)
    await postgres.query("UPDATE aman.blobs SET stored_at = now() - interval '1 day'")
    let again = Promise.resolve()
    const slow: BlobStore = {
      put: (name, content) => folder.put(name, content),
      get: (name) => folder.get(name),
      remove: async (hashes) => {
        again = new Upload(catalogue, folder).keep(hash, bytes)
        await Bun.sleep(50)
        await folder.remove!(hashes)
      },
    }
    expect(await collectGarbage(catalogue, slow)).toBeGreaterThan(0)
    await again
    expect(Buffer.from(await getBlob(folder, hash)).equals(bytes)).toBe(true)
  })
})
