import { Database } from "bun:sqlite"
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { type EmbeddingServer, startEmbeddingServer } from "../embedding-server.ts"
import { binary, Workspace } from "./harness.ts"

// Each test starts several processes.
setDefaultTimeout(60_000)

/** No file shares a word with the question, so only a model can find the right one. */
const FILES = {
  "money/refund.ts": "export function refund(order: string) {\n  return ledger.refund(order)\n}\n",
  "pets/cats.ts": "export function purr(cat: string) {\n  return cat.length\n}\n",
  "pets/dogs.ts": "export function bark(dog: string) {\n  return dog.length\n}\n",
}
const QUESTION = "how do we reimburse somebody"
const ANSWER = "money/refund.ts"
const DAMAGE = /damaged or missing; it is being rebuilt file=embeddings\.db/g

let server: EmbeddingServer
let space: Workspace
let kept: string

beforeEach(async () => {
  server = startEmbeddingServer()
  space = new Workspace()
  kept = join(space.home, ".local/share/aman/embeddings.db")
  expect((await indexed("project")).notices).toEqual([])
})
afterEach(() => {
  server[Symbol.dispose]()
  space[Symbol.dispose]()
})

/**
 * Indexes a work tree of these files and asks the question. `texts`: number of texts that the server embedded
 * for it.
 */
async function indexed(name: string) {
  const root = join(space.dir, name)
  for (const [path, text] of Object.entries(FILES)) space.write(join("..", name, path), text)
  const before = server.texts().length
  const env = { OLLAMA_HOST: server.url, AMAN_EMBEDDINGS_PROVIDER: "auto" }
  const { code, stdout, stderr } = await space.run(["index", "--json", "--root", root], { env })
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/\n\s+at /)])
  const { embedding, notices } = JSON.parse(stdout)
  // One text is subtracted: the sample that determines the model's dimensions.
  const texts = server.texts().length - before - 1
  const { results } = await space.json(["search", "--root", root, QUESTION], { env })
  expect(results[0].path).toBe(ANSWER)
  return { share: embedding.other.share, notices, damages: stderr.match(DAMAGE)?.length ?? 0, texts }
}

const alter = (harm: (bytes: Buffer) => void) => () => {
  const bytes = readFileSync(kept)
  harm(bytes)
  writeFileSync(kept, bytes)
}
const foreign = (version: number) => () => {
  rmSync(kept)
  using db = new Database(kept)
  db.run("CREATE TABLE vectors (id INTEGER PRIMARY KEY, picture BLOB)")
  db.run(`PRAGMA user_version = ${version}`)
}

describe("rebuilds unreadable cached vectors, reports it once, and the search answers", () => {
  const harms: Record<string, () => void> = {
    garbage: () => writeFileSync(kept, "garbage ".repeat(5000)),
    "cut in half": () => truncateSync(kept, readFileSync(kept).length / 2),
    "cut within the first page": () => truncateSync(kept, 1000),
    "pages of other bytes": alter((bytes) => bytes.fill(0xa7, 16_384)),
    "another program's": foreign(0),
    "another program's of our version": foreign(1),
  }
  for (const [name, harm] of Object.entries(harms)) {
    test(name, async () => {
      expect(await indexed("clone")).toMatchObject({ texts: 0, damages: 0 })
      harm()
      const whole = { share: 1, notices: [] }
      expect(await indexed("second")).toEqual({ ...whole, damages: 1, texts: 3 })
      expect(await indexed("third")).toEqual({ ...whole, damages: 0, texts: 0 })
    })
  }

  test("reports nothing when they are empty or missing", async () => {
    truncateSync(kept, 0)
    expect(await indexed("second")).toMatchObject({ share: 1, damages: 0, texts: 3 })
    rmSync(kept)
    expect(await indexed("third")).toMatchObject({ share: 1, damages: 0, texts: 3 })
  })
})

describe("leaves unwritable cached vectors as they are, reports it, and everything else works", () => {
  const spared = { share: 1, damages: 0, texts: 3 }
  const notice = (reason: string) => [
    expect.stringMatching(new RegExp(`^vectors are not kept for other work trees: .*${reason}`)),
  ]

  test("a cache of a newer aman", async () => {
    using db = new Database(kept)
    db.run("PRAGMA user_version = 9")
    expect(await indexed("second")).toEqual({ ...spared, notices: notice("newer aman") })
    expect(db.query("SELECT count(*) AS n FROM vectors").get()).toEqual({ n: 3 })
  })

  test("a folder in place of the cache", async () => {
    rmSync(kept)
    mkdirSync(kept)
    expect(await indexed("second")).toEqual({ ...spared, notices: notice("embeddings\\.db") })
  })

  // Root may write everything, so the test runs as another user.
  test.skipIf(process.getuid?.() !== 0 || Bun.which("setpriv") === null)("another user's cache", async () => {
    const NOBODY = 65534
    for (const folder of [space.dir, space.home]) chmodSync(folder, 0o755)
    chmodSync(kept, 0o444)
    const root = join(space.dir, "theirs")
    cpSync(space.project, root, { recursive: true, filter: (path) => !path.endsWith(".aman") })
    const temporary = join(space.dir, "their-tmp")
    mkdirSync(temporary)
    for (const folder of [root, temporary]) chownSync(folder, NOBODY, NOBODY)
    const as = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", binary]
    const run = async (...args: string[]) => {
      const env = {
        ...space.env,
        OLLAMA_HOST: server.url,
        AMAN_EMBEDDINGS_PROVIDER: "auto",
        TMPDIR: temporary,
      }
      return JSON.parse(await Bun.spawn([...as, ...args], { cwd: root, env }).stdout.text())
    }
    const { embedding, notices } = await run("index", "--json", "--quiet")
    expect(embedding.other.share).toBe(1)
    expect(notices.filter((text: string) => /vectors are not kept/.test(text))).toHaveLength(1)
    expect((await run("search", "--json", QUESTION)).results[0].path).toBe(ANSWER)
  })
})
