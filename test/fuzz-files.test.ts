import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { parseFile } from "../src/parse/file/parse.ts"
import { textLines } from "../src/parse/text-lines.ts"
import { expectCovered } from "./covered.ts"
import { damage, seeded } from "./damage.ts"

const FILES = Number(process.env["AMAN_TEST_SOURCES"] ?? 300)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 20_261_121)
const FOLDERS = ["languages", "rules"] as const
const MARKDOWN = ["README.md", "docs/protocol.md", "docs/configuration.md"]

const fixtures = new URL("fixtures/", import.meta.url).pathname
const sources = [
  ...FOLDERS.flatMap((folder) => readdirSync(fixtures + folder).map((name) => `${folder}/${name}`)),
  ...MARKDOWN.map((name) => `ranking/${name}`),
].map((path) => ({ path, text: readFileSync(fixtures + path, "utf8") }))

test(
  `${FILES} damaged files are cut into chunks that contain every line`,
  async () => {
    const pick = seeded(SEED)
    for (let file = 0; file < FILES; file++) {
      const { path, text } = sources[file % sources.length]!
      const damaged = damage(text, pick)
      const sizes = { chunkTokens: 20 + pick(600), mergeTokens: pick(200), timeoutMs: 2000 }
      const parsed = await parseFile(path, damaged, sizes)
      try {
        expectCovered(parsed, damaged)
        expect(parsed.lines).toBe(textLines(damaged).count)
      } catch (cause) {
        throw new Error(`file ${file}, ${path}, ${parsed.degraded}: ${JSON.stringify(damaged)}`, { cause })
      }
    }
  },
  100_000 + FILES * 20,
)
