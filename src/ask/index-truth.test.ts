import { expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { TempProject } from "../../test/temp-project.ts"
import type { Store } from "../store/index/store.ts"
import { termOf } from "../text/terms/abbreviations.ts"

const TEXTS = [
  "The parser reads tokens.\n",
  "Tokens are stored by the lexer, and the parser reads them twice.\n",
  "# Lexer\n\nHow tokens are cut.\n\n## Errors\n\nA bad token ends the parser.\n",
  "",
  "nothing of interest\n".repeat(200),
]
const FOLDERS = ["", "lexer/", "lexer/tokens/", "parser/"]
const NAMES = ["tokens.txt", "parser.md", "lexer.txt", "notes.json", "errors"]
const QUERIES = ["tokens", "how does the parser read tokens", "lexer errors", "interest", "parser"]

const path = fc.tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES)).map((parts) => parts.join(""))
const edit = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("write" as const), path, text: fc.constantFrom(...TEXTS) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("binary" as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("touch" as const), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("empty" as const), path: fc.constantFrom("lexer", "parser") }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rename" as const), path, to: path }) },
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

test("answers from an updated index as from a new one, after any edits", async () => {
  const rounds = fc.array(fc.array(edit, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      using kept = new TempProject({ "lexer/first.txt": TEXTS[1]!, "parser/second.md": TEXTS[2]! })
      await kept.index()
      for (const edits of all) {
        for (const each of edits) apply(kept, each)
        await kept.index()
      }
      const known = await whatItSays(kept)
      rmSync(join(kept.root, ".aman"), { recursive: true })
      await kept.index()
      expect(known).toEqual(await whatItSays(kept))
    }),
    { numRuns: Number(process.env["AMAN_TEST_RUNS"] ?? 5), seed: 20_251_121 },
  )
}, 120_000)

function apply(project: TempProject, step: Edit): void {
  try {
    if (step.kind === "write") project.write(step.path, step.text)
    else if (step.kind === "binary") project.write(step.path, new Uint8Array(24))
    else if (step.kind === "touch") project.touch(step.path)
    else if (step.kind === "rename") project.rename(step.path, step.to)
    else project.remove(step.path)
  } catch {
    // The file does not exist, or a folder is at its path, or a file is in place of its folder.
  }
}

/**
 * Everything in the index except ids and times, which depend on how it was built. Of the rankings only the
 * order is compared and not the scores: how often a name is mentioned is an estimate that includes earlier
 * versions of files until the next merge.
 */
async function whatItSays(project: TempProject) {
  const { store } = project.open().reader()!
  return { ...rowsOf(store), pathWords: pathWordsOf(store), rankings: await rankingsOf(project) }
}

function rowsOf(store: Store) {
  return store.files.all().map(({ id, mtimeMs: _, ...file }) => ({
    ...file,
    rows: store.chunks.ofFile(id).map(({ fileId: _, ...chunk }) => chunk),
    symbols: store.symbols.ofFile(id).map(({ fileId: _, ...symbol }) => symbol),
  }))
}

function pathWordsOf(store: Store) {
  const words = [...FOLDERS, ...NAMES].flatMap((name) => name.split(/[./]/)).concat("first", "second")
  return words.map((word) => [word, store.pathWords.counts([termOf(word)]).get(termOf(word))])
}

async function rankingsOf(project: TempProject) {
  const answers: string[] = []
  for (const query of QUERIES) {
    const { results } = await project.search(query, { mode: "keyword" })
    answers.push(`${query}: ${results.map((found) => `${found.path}:${found.start_line}`).join(", ")}`)
  }
  return answers
}
