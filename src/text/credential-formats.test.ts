import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { credentialFormats } from "../../test/credential-formats.ts"
import { findCredential, findCredentialIn, maskCredentials } from "./secrets/credentials.ts"

const FORMATS = credentialFormats()
const SEEDS = 40

test("the corpus has at least 170 formats", () => expect(FORMATS.length).toBeGreaterThanOrEqual(170))

describe("finds every format alone, in a sentence, quoted and in data", () => {
  test.each(FORMATS)("%s", (_, secret) => {
    for (const text of [secret, `we use\n${secret}\nsince May`, `- \`${secret}\` in the settings`])
      expect(findCredential(text)).not.toBeNull()
    expect(findCredentialIn({ change: { fields: { text: `first\n${secret}\nlast` } } })).not.toBeNull()
  })
})

test("finds 98 of 100 random values of each format, and nearly all formats always", () => {
  const missed = new Map<string, number>()
  for (let seed = 1; seed <= SEEDS; seed++)
    for (const [format, secret] of credentialFormats(seed * 7919))
      if (findCredential(secret) === null) missed.set(format, (missed.get(format) ?? 0) + 1)
  const often = [...missed].filter(([, count]) => count > SEEDS * 0.15)
  const all = [...missed.values()].reduce((sum, count) => sum + count, 0)
  expect({ often, share: all / (SEEDS * FORMATS.length) < 0.02 }).toEqual({ often: [], share: true })
})

test.each(FORMATS.filter(([, secret]) => !/password|words of/.test(secret)).slice(0, 40))(
  "masks %s and keeps the text around it",
  (_, secret) => {
    const masked = maskCredentials(`before\n${secret}\nafter`)
    expect(masked).toStartWith("before\n")
    expect(masked).toEndWith("\nafter")
    expect(masked).toContain("***")
    expect(findCredential(masked)).toBeNull()
  },
)

test("reports nothing in texts of other alphabets that look like Latin ones", () => {
  const texts = [
    "пароль хранится в виде хеша, не короче 8 символов",
    "Ключ ассоциативного массива: строка",
    "ο κωδικός είναι μυστικός και αλλάζει κάθε μήνα",
    "密码：至少八个字符",
    "der Schlüssel für die Tür heißt Größe",
  ]
  expect(texts.filter((text) => findCredential(text) !== null)).toEqual([])
})

test("reports no words of a wallet in English notes about backups, seeds and secrets", () => {
  const texts = [
    "backup every table nightly before workers start large imports since midnight jobs block other writers",
    "The secret is rotate tokens monthly because old clients often keep stale values around forever",
    "seed data loads twelve users three teams two projects several notes many tasks some links",
    "recovery runs twice nightly because large tables take longer than smaller tables during heavy writes",
    "seed words: describes what people find first when nobody told them where such things live",
  ]
  expect(texts.filter((text) => findCredential(text) !== null)).toEqual([])
})

test("reports at most 1 of 200 lines of public documents that mention secrets", () => {
  const lines = harmlessLines()
  expect(lines.length).toBeGreaterThan(1000)
  const taken = lines.filter((line) => findCredential(line) !== null)
  expect(taken.length).toBeLessThanOrEqual(lines.length / 200)
})

test("does not report identifiers, hashes, images or checksums", () => {
  const hex = (length: number, n: number) =>
    new Bun.CryptoHasher("sha512").update(`${n}`).digest("hex").slice(0, length)
  const lines = Array.from({ length: 300 }, (_, n) => [
    `commit ${hex(40, n)} by Ann`,
    `request ${hex(8, n)}-${hex(4, n + 1)}-4${hex(3, n + 2)}-a${hex(3, n + 3)}-${hex(12, n + 4)} failed`,
    `sha256:${hex(64, n)}`,
    `"integrity": "sha512-${Buffer.from(hex(128, n), "hex").toString("base64")}",`,
    `![logo](data:image/png;base64,iVBORw0KGgo${Buffer.from(hex(120, n), "hex").toString("base64")})`,
    `/assets/index-${hex(8, n)}.js 14.${n} kB`,
    `etag: W/"${hex(16, n)}"`,
    `h1:${Buffer.from(hex(64, n), "hex").toString("base64")}`,
  ]).flat()
  expect(lines.filter((line) => findCredential(line) !== null)).toEqual([])
})

/** Lines of installed packages' documents and of our own that mention passwords, tokens or keys. */
function harmlessLines(): string[] {
  const root = join(import.meta.dir, "..", "..")
  const files = [...markdownBelow(join(root, "node_modules"), 4), ...markdownBelow(join(root, "docs"), 2)]
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"))
  const telling = lines.filter(
    (line) => line.length < 2000 && /passw|token|secret|\bkeys?\b|credential|auth/i.test(line),
  )
  return [...new Set(telling)]
}

function markdownBelow(folder: string, depth: number): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return depth === 0 ? [] : markdownBelow(path, depth - 1)
    return entry.isFile() && entry.name.toLowerCase().endsWith(".md") ? [path] : []
  })
}
