import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { SearchSources } from "../src/index/open/sources.ts"
import { gatherCandidates } from "../src/search/channels/candidates.ts"
import type { SearchOptions } from "../src/search/options.ts"
import { createFilter } from "../src/search/query/filter.ts"
import type { CandidateFile } from "../src/search/rank/features.ts"
import { rank } from "../src/search/rank/rank.ts"
import { rankCandidates } from "../src/search/rank-candidates.ts"
import { lineRange } from "../src/text/files/read-source.ts"
import { type Files, REQUEST, TempProject } from "./temp-project.ts"

// Each test shows a ranking that changes when one channel or feature is taken away. A channel or feature
// without effect on any ranking would be useless, and its test fails.

type Mode = SearchOptions["mode"]
const asIs = <T>(value: T): T => value

/** Options of a search that may read the project's files, to compare a question's words as typed. */
function optionsFor({ root }: TempProject, mode: Mode, filter: SearchOptions["filter"]): SearchOptions {
  const readLines: SearchOptions["readLines"] = ({ path }, ranges) => {
    const text = readFileSync(join(root, path), "utf8")
    return ranges.map(({ first, last }) => lineRange(text, first, last))
  }
  return { limit: 10, mode, filter, folder: "", explain: false, readLines }
}

/** Paths in the order of `search`, after `change` has removed some of its sources. */
async function found(
  project: TempProject,
  query: string,
  mode: Mode,
  change: (sources: SearchSources) => SearchSources = asIs,
): Promise<string[]> {
  const reader = project.open().reader()!
  const sources = change(reader.sources({ vectors: mode !== "keyword" }))
  const filter = createFilter(reader.store, REQUEST)
  const { files } = await rankCandidates(sources, query, optionsFor(project, mode, filter))
  return files.map((file) => file.path)
}

/** Paths in the order of `rank`, after `change` has altered the facts of each candidate. */
async function ranked(
  project: TempProject,
  query: string,
  mode: Mode,
  change: (candidate: CandidateFile) => CandidateFile = asIs,
): Promise<string[]> {
  const reader = project.open().reader()!
  const filter = createFilter(reader.store, REQUEST)
  const { candidates, scale } = await gatherCandidates(
    reader.sources({ vectors: mode !== "keyword" }),
    query,
    optionsFor(project, mode, filter),
  )
  return rank(candidates.map(change), scale, mode === "keyword" ? mode : "aman512", "").map(
    (file) => file.candidate.hit.path,
  )
}

async function indexed(files: Files): Promise<TempProject> {
  const project = new TempProject(files)
  await project.index()
  return project
}

describe("the keyword channel", () => {
  test.each([
    [
      "tax of boats",
      "Who owns a boat pays a tax, be it large or small, new or old.",
      "taxi oftaxis boatswain",
    ],
    [
      "parsing errors",
      "An error while we parse a file is shown to whoever asked for it.",
      "sparsingly terrors",
    ],
  ])("ranks a file with the words before one that only resembles them: %s", async (query, words, letters) => {
    using project = new TempProject({ "notes/one.txt": `${words}\n`, "notes/two.txt": `${letters}\n` })
    await project.index()
    expect((await found(project, query, "hybrid"))[0]).toBe("notes/one.txt")
  })

  test.each([
    [
      "cost of kvorp",
      "Kvorp is what the printers of the second floor are called by those who sit there, for reasons nobody knows.",
      "price, amount, fee",
    ],
    [
      "delete user QZX9",
      "On Mondays the kitchen is cleaned, the plants get water, and whoever is in charge of QZX9 brings the cake.",
      "remove users",
    ],
  ])(
    "ranks a file with a name unknown to the table before one with the meaning of the rest: %s",
    async (query, names, means) => {
      using project = await indexed({ "notes/one.txt": `${names}\n`, "notes/two.txt": `${means}\n` })
      expect((await found(project, query, "hybrid"))[0]).toBe("notes/one.txt")
      expect((await found(project, query, "semantic"))[0]).toBe("notes/two.txt")
    },
  )
})

describe("the vector channel", () => {
  const FILES = {
    "auth/session.txt": "Authentication happens when the session opens.\n",
    "billing/invoice.txt": "An invoice lists what was bought, and when it is due.\n",
    "web/page.txt": "The page shows a list of boats.\n",
  }

  test.each(["authentcation", "reauthenticating", "authenticatoin"])(
    "alone finds a word in another spelling: %s",
    async (query) => {
      using project = await indexed(FILES)
      expect((await found(project, query, "hybrid"))[0]).toBe("auth/session.txt")
      expect(await found(project, query, "hybrid", (sources) => ({ ...sources, vectors: null }))).toEqual([])
      expect(await found(project, query, "keyword")).toEqual([])
    },
  )
})

describe("exact symbols", () => {
  const records = [
    'class Records:\n    """Keeps what the pages show."""\n',
    "    def fetch(self, key):\n        return self.rows[key]\n",
    "    def loadUser(self, key):\n        return self.fetch(key)\n",
    ...Array.from(
      { length: 12 },
      (_, i) => `    def other${i}(self, key):\n        return self.rows[${i}]\n`,
    ),
  ].join("\n")

  // users/page.py only uses `loadUser`, but mentions it more often. The name of its function differs by mode,
  // so that in each mode the scores of the two files are close.
  test.each([
    ["hybrid", "page"],
    ["keyword", "load"],
  ] as const)("rank the definition before its uses: %s", async (mode, rival) => {
    using project = await indexed({
      "users/page.py": `def ${rival}(key):\n    return loadUser(key), loadUser(key + 1), loadUser(key + 2)\n`,
      "users/records.py": records,
      "users/other.py": "x = 1\n",
    })
    expect((await found(project, "loadUser", mode))[0]).toBe("users/records.py")
    const index = new Database(join(project.root, ".aman/index.db"))
    index.run("DELETE FROM symbols")
    index.close()
    expect((await found(project, "loadUser", mode))[0]).toBe("users/page.py")
  })

  test("show the place of the definition", async () => {
    const long = "    wait()\n".repeat(180)
    const mentions = Array.from(
      { length: 12 },
      (_, i) => `def use${i}(key):\n${long}    return loadUser(key)\n`,
    )
    using project = new TempProject({
      "users.py": `${mentions.join("\n")}\ndef loadUser(key):\n    return key\n`,
    })
    await project.index()
    const first = async () => (await project.search("loadUser")).results[0]!.symbol
    expect(await first()).toBe("loadUser")
  })
})

describe("the path", () => {
  const OTHER = { "app/second.py": "def second(bill):\n    return bill.total\n" }
  const text = "def first(bill):\n    return bill.total\n"

  test.each([
    ["a file's name", "app/billing.py", "app/misc.py"],
    ["a folder's name", "billing/misc.py", "app/misc.py"],
  ])("ranks the file first for %s", async (_, telling, silent) => {
    for (const mode of ["hybrid", "keyword"] as const) {
      using one = await indexed({ ...OTHER, [telling]: text, "app/zzz.py": text })
      expect((await found(one, "total of billing", mode))[0]).toBe(telling)
      using two = await indexed({ ...OTHER, [silent]: text, "app/alpha.py": text })
      expect((await found(two, "total of billing", mode))[0]).not.toBe(silent)
    }
  })
})

describe("fusion", () => {
  test("decides between files that are equal otherwise", async () => {
    const text = "Uploads are tried again until the server takes them.\n"
    using project = await indexed({ "c/other.txt": "Nothing of the kind.\n" })
    // Both files are equal, so both lists order them by path, whichever was indexed first.
    for (const path of ["b/notes.txt", "a/notes.txt"]) {
      project.write(path, text)
      await project.index()
    }
    const query = "which uploads will the server take again"
    // Without vectors, because these also contain the letters of the folders, which differ.
    const first = async (...args: [] | [(candidate: CandidateFile) => CandidateFile]) =>
      (await ranked(project, query, "keyword", ...args)).slice(0, 2)
    expect(await first()).toEqual(["a/notes.txt", "b/notes.txt"])
    const otherwise = (candidate: CandidateFile) => ({
      ...candidate,
      fusion: candidate.hit.path === "b/notes.txt" ? 1 : 0.5,
    })
    expect(await first(otherwise)).toEqual(["b/notes.txt", "a/notes.txt"])
  })
})

describe("centrality", () => {
  test("ranks a file that others use before an unused equal one", async () => {
    const text = "export function retryUpload(file: string): void {\n  send(file)\n}\n"
    // The comment and the import mention "one" and "two" equally often, but only two.ts is used.
    const uses = '// one\nimport { retryUpload } from "./two"\nretryUpload("x")\n'
    using project = await indexed({
      "one.ts": text,
      "two.ts": text,
      ...Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`page${at}.ts`, uses])),
    })
    const flat = (candidate: CandidateFile) => ({
      ...candidate,
      facts: { ...candidate.facts, centrality: 0 },
    })
    for (const mode of ["hybrid", "keyword"] as const) {
      const order = (paths: string[]) => paths.filter((path) => !path.startsWith("page"))
      // The query is a name. In a question whose words do not occur in the project's paths and comments, use
      // by other files would not count.
      expect(order(await ranked(project, "retryUpload", mode))).toEqual(["two.ts", "one.ts"])
      expect(order(await ranked(project, "retryUpload", mode, flat))).toEqual(["one.ts", "two.ts"])
    }
  })
})

describe("a file's role", () => {
  const text = "Uploads are tried again until the server takes them.\n"
  const plain = (candidate: CandidateFile): CandidateFile => ({
    ...candidate,
    facts: { ...candidate.facts, flags: 0, content: "code" },
  })

  test.each([
    ["a test", "tests/uploads.sql"],
    ["an example", "examples/uploads.sql"],
    ["a benchmark", "benchmarks/uploads.sql"],
    ["vendored code", "extern/uploads.sql"],
    ["a script", "scripts/uploads.sql"],
    ["generated code", "autogen/uploads.sql"],
    ["data", "jobs/uploads.yml"],
  ])("ranks %s below the code that it resembles", async (_, path) => {
    using project = await indexed({ [path]: text, "worker/uploads.sql": text })
    for (const mode of ["hybrid", "keyword"] as const)
      expect(await ranked(project, "uploads", mode)).toEqual(["worker/uploads.sql", path])
    expect(await ranked(project, "uploads", "keyword", plain)).toEqual([path, "worker/uploads.sql"])
  })
})
