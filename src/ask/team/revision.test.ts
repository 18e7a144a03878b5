import { expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { hasSoundPack, PackedTreeWriter } from "../../../packages/team/node/packed-tree-writer.ts"
import { sha256 } from "../../base/files/files.ts"
import { fingerprint } from "../../index/team/client.ts"
import { packedTree } from "../../index/team/packed-tree.ts"
import { readSource } from "../../text/files/read-source.ts"
import { isSigned, layOut, parseManifest, publicKeyOf, signOffer } from "./revision.ts"

/** A file of a pack, as `cutRevision` writes it. */
function packed(path: string, content = "text"): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(Buffer.byteLength(path), 0)
  head.writeUInt32LE(Buffer.byteLength(content), 4)
  return Buffer.concat([head, Buffer.from(path), Buffer.from(content)])
}

/** Lays out a revision of these packs and of an index file of this name; returns the files below its folder. */
async function laidOut(packs: readonly Uint8Array[], name = "index.db"): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "aman-lay-out-"))
  try {
    const blobs = new Map([...packs, Buffer.from("index")].map((each) => keep(each)))
    const sources = packs.map((each) => keep(each)[0])
    const index = [{ name, size: 5, blocks: [keep(Buffer.from("index"))[0]] }]
    using tree = new PackedTreeWriter(join(folder, "inner", "tree"))
    const get = async (hash: string) => blobs.get(hash) ?? null
    const inner = join(folder, "inner", "index")
    await layOut({ get }, { format: 2, index, sources, bases: {} }, inner, tree).catch((error: Error) => {
      const outside = readdirSync(folder).filter((each) => each !== "inner")
      throw new Error(`${error.message}${outside.length > 0 ? `; outside: ${outside}` : ""}`)
    })
    return (readdirSync(folder, { recursive: true }) as string[])
      .map((path) => path.replaceAll("\\", "/"))
      .sort()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function keep(content: Uint8Array): [string, Uint8Array] {
  const bytes = Bun.zstdCompressSync(content)
  return [sha256(bytes), bytes]
}

test("lays out the files of a pack and of the index", async () => {
  expect(await laidOut([Buffer.concat([packed("src/a.ts"), packed("b.ts")])])).toEqual([
    ...["inner", "inner/index", "inner/index/index.db", "inner/tree", "inner/tree.pack", "inner/tree/b.ts"],
    ...["inner/tree/src", "inner/tree/src/a.ts"],
  ])
})

test("packs the files of a tree, so that they are empty, and reads the packed contents", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-packed-"))
  const root = join(folder, "tree")
  const files = Array.from({ length: 40 }, (_, i) => [`src/${i}.ts`, `line ${i}\n`.repeat(i * 40)] as const)
  const tree = new PackedTreeWriter(root)
  for (const [path, content] of files) tree.add(path, Buffer.from(content))
  tree.add(".gitattributes", Buffer.from("*.ts text"))
  tree.finish(basename(folder))
  tree[Symbol.dispose]()
  packedTree.use(root)
  expect(statSync(join(root, "src/7.ts")).size).toBe(0)
  for (const [path, content] of files.toReversed())
    expect(readSource(root, path, 1 << 20)).toMatchObject({ text: content, size: content.length })
  expect(readSource(root, ".gitattributes", 1 << 20)).toMatchObject({ text: "*.ts text" })
  expect(readFileSync(join(root, ".gitattributes"), "utf8")).toBe("*.ts text")
  expect(readSource(root, "src/7.ts", 100)).toMatchObject({ reason: "too large" })
  expect(readSource(root, "src/40.ts", 100)).toMatchObject({ reason: "unreadable" })
  expect(hasSoundPack(root)).toBe(true)
  truncateSync(`${root}.pack`, statSync(`${root}.pack`).size - 1)
  expect(hasSoundPack(root)).toBe(false)
  expect(() => readSource(root, "src/39.ts", 1 << 20)).toThrow("damaged")
  expect(() => readSource(root, "src/39.ts", 1 << 20)).toThrow("damaged")
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  ...["../x", "../../x", "/tmp/x", "a/../../x", "./x", "", "a//b", ".git/config", "sub/.GIT/hooks/x"],
  ...[".aman/index.db", "a\\..\\..\\x", "C:/x", "c:x", "a\0b", ".."],
])("refuses a file with the path %j", async (path) => {
  await expect(laidOut([packed(path)])).rejects.toThrow(/^a revision of the team is malformed$/)
})

test("refuses a pack whose lengths lead outside of it, and a file that stands in it twice", async () => {
  const long = packed("a.ts")
  long.writeUInt32LE(0xffff_ffff, 0)
  await expect(laidOut([long])).rejects.toThrow("malformed")
  await expect(laidOut([packed("a.ts").subarray(0, 5)])).rejects.toThrow("malformed")
  await expect(laidOut([Buffer.concat([packed("a.ts"), packed("a.ts")])])).rejects.toThrow("EEXIST")
})

test.each(["../index.db", "lock.db", "keyword-/../x", "index.db-wal", "exact.db"])(
  "refuses an index file called %s",
  async (name) => {
    await expect(laidOut([], name)).rejects.toThrow(/^a revision of the team is malformed$/)
  },
)

test("refuses a blob whose bytes have another hash, and one that unpacks to more than a block", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-lay-out-"))
  const [hash, bytes] = keep(new Uint8Array(1 << 20))
  const manifest = {
    format: 2 as const,
    bases: {},
    index: [{ name: "index.db", size: 1 << 20, blocks: [hash] }],
    sources: [],
  }
  const laid = (name: string, get: () => Promise<Uint8Array>) =>
    layOut({ get }, manifest, join(folder, name), { add: () => {} })
  await expect(laid("a", async () => bytes.subarray(1))).rejects.toThrow("damaged")
  await expect(laid("b", async () => bytes)).rejects.toThrow()
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  "{}",
  "[]",
  "",
  '{"format":1,"index":[],"sources":[]}',
  '{"format":2,"index":[],"sources":["x"],"bases":{}}',
])("refuses the manifest %s", (text) => {
  expect(() => parseManifest(Buffer.from(text))).toThrow("cannot be read")
})

const newKey = () => generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" })
const key = newKey()
const facts = {
  ...{ repository: "github.com/owner/name", commit: "c".repeat(40), manifest: "d".repeat(64) },
  ...{ index_version: 25, shape: "25:1500:500:262144:true" },
}
const offer = signOffer(facts, key)

test("an offer is signed by its key alone, and by no other or malformed one", () => {
  expect(isSigned(offer, publicKeyOf(key))).toBe(true)
  for (const other of [publicKeyOf(newKey()), "", "not a key"]) expect(isSigned(offer, other)).toBe(false)
})

test("a signature is wrong as soon as any fact is another one", () => {
  for (const [name, value] of Object.entries(facts)) {
    const changed = { ...offer, [name]: typeof value === "number" ? value + 1 : `${value}0` }
    expect(isSigned(changed, publicKeyOf(key))).toBe(false)
  }
  expect(isSigned({ ...offer, signature: "" }, publicKeyOf(key))).toBe(false)
})

test("a fingerprint is the SHA-256 of the public key in base64, as OpenSSH prints it", () => {
  expect(fingerprint(publicKeyOf(key))).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
})
