import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commit, write } from "../git-repository.ts"
import { hasPostgres } from "../postgres.ts"
import { S3Store } from "../s3-store.ts"
import { type Node, TeamSpace } from "./team-space.ts"

const WORKER = ["team", "worker", "--once", "--quiet"] as const

describe.skipIf(!hasPostgres)("a team's indexes in an S3 store", () => {
  let team: TeamSpace
  let s3: S3Store
  let names: Record<"shop" | "bank", string>
  let ada: string

  beforeAll(async () => {
    ;[team, s3] = [await TeamSpace.start(), await S3Store.start()]
    Object.assign(team.env, s3.env)
    names = await team.add({
      shop: { "shop.ts": "export function sellBread() {}\n" },
      bank: { "bank.ts": "export function lendMoney() {}\n" },
    })
    ada = await team.token("ada", "shop", "bank")
  }, 60_000)
  afterAll(async () => {
    await team?.[Symbol.asyncDispose]()
    await s3?.[Symbol.asyncDispose]()
  })

  let node: Node | null = null
  /** Starts a node with an empty disk in place of the previous one, which would otherwise hold some repositories. */
  const serveAlone = async (...args: readonly string[]) => {
    node?.process.kill("SIGTERM")
    await node?.process.exited
    node = await team.serve(["--name", `node-${crypto.randomUUID()}`, ...args])
  }
  const search = async (query: string) => (await team.ask(ada, "/v1/search", { query })).answer

  test("are stored there and answered from there", async () => {
    await serveAlone()
    expect((await search("lendMoney")).results[0]).toMatchObject({ repository: names.bank, path: "bank.ts" })
    const keys = s3.keys()
    const blobs = await team.postgres.query(
      "SELECT encode(hash, 'hex') AS hash FROM aman.blobs ORDER BY hash",
    )
    expect(blobs.length).toBeGreaterThan(5)
    expect(keys).toEqual(blobs.map(({ hash }) => `indexes/${String(hash).slice(0, 2)}/${hash}`))
    expect(await team.postgres.query("SELECT 1 FROM aman.blob_parts")).toEqual([])
  })

  test("a store that does not answer delays a question until the deadline, and only its repositories are left out", async () => {
    // One process, because further ones take over repositories once they run, and each fetches those to its own disk.
    await serveAlone("--deadline", "1", "--processes", "1")
    // A revision on the node's disk is answered however late it is; being fetched to there it may miss the deadline.
    while ((await search("sellBread")).results.length === 0);
    const release = s3.hold()
    try {
      const late = await search("sellBread lendMoney")
      expect(late.results.map(({ repository }: { repository: string }) => repository)).toEqual([names.shop])
      expect(late.notices).toEqual([`${names.bank} was not asked: it is still being fetched; try again`])
    } finally {
      release()
    }
    // The fetch that was held goes on, and a later question waits for it.
    let complete = await search("sellBread lendMoney")
    while (complete.notices.length > 0) complete = await search("sellBread lendMoney")
    expect(complete.results).toHaveLength(2)
  })

  test("a damaged object is noticed, and the answer names the repository and what to do", async () => {
    const [{ manifest }] = (await team.postgres.query(
      `SELECT encode(manifest, 'hex') AS manifest FROM aman.revisions v JOIN aman.repositories r ON r.revision_id = v.id
       WHERE r.name = '${names.bank}'`,
    )) as [{ manifest: string }]
    const key = `indexes/${manifest.slice(0, 2)}/${manifest}`
    const bytes = await s3.client.file(key).bytes()
    await s3.client.write(
      key,
      Uint8Array.from(bytes, (byte, at) => (at === 0 ? byte ^ 1 : byte)),
    )
    await serveAlone()
    const { results, notices } = await search("sellBread lendMoney")
    expect(results.map(({ repository }: { repository: string }) => repository)).toEqual([names.shop])
    expect(notices).toEqual([
      `${names.bank} was not asked: segment ${manifest.slice(0, 12)} of the team is damaged`,
    ])
    const blob = await team.ask(ada, `/v1/blobs/${manifest}`)
    expect([blob.status, blob.answer.error.message]).toEqual([
      expect.any(Number),
      expect.stringContaining("is damaged"),
    ])
    await s3.client.write(key, bytes)
    expect((await search("sellBread lendMoney")).results).toHaveLength(2)
  })

  test("texts that are missing or damaged on a node's disk are fetched again, and never read as empty", async () => {
    const start = async () => {
      node!.process.kill("SIGKILL")
      await node!.process.exited
      node = await team.serve(["--processes", "1", "--name", "damaged"])
    }
    await start()
    const found = async () => {
      const { results, notices } = (await team.ask(ada, "/v1/grep", { query: "function" })).answer
      const read = await team.ask(ada, "/v1/read", { repository: names.shop, path: "shop.ts" })
      return [notices, results.map(({ path }: { path: string }) => path), read.answer.text]
    }
    const whole = await found()
    expect(whole).toMatchObject([[], ["bank.ts", "shop.ts"], expect.stringContaining("sellBread")])
    const packs = [
      ...new Bun.Glob("**/damaged/revisions/*/tree.pack").scanSync({ cwd: team.space.home, dot: true }),
    ]
    const [one, other] = packs.map((each) => join(team.space.home, each)) as [string, string]
    const damages = [
      () => rmSync(one),
      () => truncateSync(one, 10),
      () => copyFileSync(other, one),
      () => renameSync(other, one),
      () => writeFileSync(one, readFileSync(one).fill(0, 0, 10)),
    ]
    for (const damage of damages) {
      damage()
      expect(await found()).toEqual(whole)
      damage()
      await start()
      if (damage !== damages.at(-1)) expect(await found()).toEqual(whole)
    }
    // Damage that was there before the node started, in a content: the first answer that reads it says so.
    const [notices] = await found()
    expect(notices).toEqual([
      expect.stringContaining("its files on the team's node are missing or damaged; try again"),
    ])
    expect(await found()).toEqual(whole)
  })

  test.each([
    ["a wrong key", { AWS_SECRET_ACCESS_KEY: "wrong" }, "SignatureDoesNotMatch", "check AWS_ACCESS_KEY_ID"],
    ["a missing bucket", { AMAN_TEAM_BLOBS: "s3://nowhere" }, "NoSuchBucket", "create the bucket"],
    [
      "a store that is away",
      { AWS_ENDPOINT_URL: "http://127.0.0.1:9" },
      "ConnectionRefused",
      "check AWS_ENDPOINT_URL",
    ],
    ["no key", { AWS_SECRET_ACCESS_KEY: "" }, "there are no credentials", "set AWS_ACCESS_KEY_ID"],
    [
      "a key in the address",
      { AMAN_TEAM_BLOBS: "s3://key:hidden@team" },
      "not given as s3://",
      "credentials belong",
    ],
  ] as const)("with %s, a worker says why and what to do", async (_, env, cause, hint) => {
    write(names.shop, "shop.ts", `export function sellBread() {}\nexport const why = "${cause}"\n`)
    commit(names.shop, cause)
    await team.admin("sync", names.shop)
    const { code, stderr } = await team.space.run([...WORKER], { env: { ...team.env, ...env } })
    expect(code).not.toBe(0)
    expect(stderr).toContain(cause)
    expect(stderr).toContain(hint)
    expect(stderr).not.toContain("hidden")
  })
})

const disk = mkdtempSync(join(tmpdir(), "aman-disk-"))

function mountDisk(): boolean {
  const args = ["-t", "tmpfs", "-o", "size=2500k,mode=700", "aman", disk]
  return Bun.spawnSync(["mount", ...args], { stdout: "ignore", stderr: "ignore" }).exitCode === 0
}

function unmountDisk(): boolean {
  return Bun.spawnSync(["umount", disk]).exitCode === 0
}

const SYMBOLS = "+-*/=<>!&|^~%(){}[];:,.?@#$'`\"\\ "

/** A line of 256 KiB without words, of which a node's pack takes five eighths. */
function random(seed: string): string {
  const digest = (part: number) => new Bun.CryptoHasher("sha512").update(`${seed} ${part}`).digest()
  const symbols = (part: number) =>
    Array.from(digest(part), (byte) => SYMBOLS[byte % SYMBOLS.length]).join("")
  return Array.from({ length: 4096 }, (_, part) => symbols(part)).join("")
}

/** False where this user may not mount a small disk. */
const canMount = process.platform === "linux" && hasPostgres && mountDisk() && unmountDisk()
if (!canMount) rmSync(disk, { recursive: true, force: true })

describe.skipIf(!canMount)("a node whose disk is full", () => {
  beforeAll(() => {
    mountDisk()
  })
  afterAll(() => {
    unmountDisk()
    rmSync(disk, { recursive: true, force: true })
  })

  test("names the repository that had no room, makes room, and answers the next question", async () => {
    await using team = await TeamSpace.start()
    // Two of these do not fit beside each other.
    const large = (word: string) => ({
      [`${word}.ts`]: `// ${word}
`,
      ...Object.fromEntries(
        [1, 2, 3, 4, 5, 6, 7, 8].map((at) => [`${at}.txt`, `${word} ${random(`${word} ${at}`)}`]),
      ),
    })
    const names = await team.add({ shop: large("sellbread"), bank: large("lendmoney") })
    const ada = await team.token("ada", "shop", "bank")
    mkdirSync(join(disk, "data"))
    const node = await team.serve(["--processes", "1"], { AMAN_DATA_DIR: join(disk, "data") })
    const ask = async (query: string) => (await team.ask(ada, "/v1/search", { query })).answer
    expect((await ask("sellbread")).results[0].repository).toBe(names.shop)
    const full = await ask("lendmoney")
    expect(full.results.map(({ repository }: { repository: string }) => repository)).not.toContain(names.bank)
    expect(full.notices).toContain(
      `${names.bank} was not asked: the disk of the team's node is full; try again`,
    )
    for (const [word, name] of [
      ["lendmoney", names.bank],
      ["sellbread", names.shop],
    ] as const) {
      // The first question may have been the one that found the disk full.
      await ask(word)
      expect((await ask(word)).results[0]).toMatchObject({ repository: name, path: `${word}.ts` })
    }
    expect(node.process.exitCode).toBeNull()
  })
})
