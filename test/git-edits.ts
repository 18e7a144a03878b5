import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"

const FOLDERS = ["", "src/", "src/lexer/", "src/parser/", "lib/cache/", "docs/", "test/"]
const NAMES = [
  "token.ts",
  "store.py",
  "errors.go",
  "notes.md",
  "settings.json",
  "lexer",
  "cache.rs",
  "min.js",
]
const BRANCHES = ["main", "topic", "other"]

const path = fc.tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES)).map((parts) => parts.join(""))
const folder = fc.constantFrom("src", "src/lexer", "lib", "docs")
const number = fc.nat({ max: 9 })
const branch = fc.constantFrom(...BRANCHES)
const rule = fc.constantFrom(
  "*.md",
  "src/lexer",
  "!notes.md",
  "/lib/",
  "token.*",
  "test",
  "# nothing",
  "*.py",
)
const attributes = fc.constantFrom(
  "*.py linguist-generated",
  "* -linguist-generated",
  "src/** linguist-vendored\nsrc/lexer/* linguist-vendored=false",
  "*.md !linguist-documentation",
  "*.rs linguist-documentation=true",
)
const setting = fc.constantFrom(
  "",
  "paths:\n  exclude: ['src/parser/']\n",
  "paths:\n  include: ['src/', 'docs/']\n",
  "index:\n  max_file_size: 2KB\n",
)

/** A random change that a person or a tool makes to a work tree. */
export const edit = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("write" as const), path, number }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("append" as const), path, number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("binary" as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("touch" as const), path, number }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), path: folder }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("rename" as const), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rename" as const), path: folder, to: folder }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("commit" as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("switch" as const), branch }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rebase" as const), branch }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reset" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("gitignore" as const), rule, in: folder }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("amanignore" as const), rule }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("gitattributes" as const), attributes, in: folder }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("settings" as const), setting }) },
)
export type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

/** A repository with a commit on each of three branches. */
export function makeRepository(root: string): void {
  git(root, "init", "-q", "-b", "main")
  for (const [index, name] of BRANCHES.entries()) {
    if (index > 0) git(root, "switch", "-q", "-c", name)
    for (const file of ["src/token.ts", "src/lexer/store.py", "docs/notes.md", `lib/cache/${name}.rs`]) {
      write(root, file, textOf(file, index))
    }
    git(root, "add", "-A")
    git(root, "commit", "-qm", name)
  }
}

/** Applies the edit if that is possible in the current state; otherwise does nothing. */
export function applyEdit(root: string, step: Edit): void {
  try {
    perform(root, step)
  } catch {
    // The file is missing, or a folder is in the place of a file, or a file in that of a folder.
  }
}

export function git(root: string, ...args: string[]): number {
  const own = ["-c", "user.name=t", "-c", "user.email=t@example", "-c", "protocol.file.allow=always"]
  const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
  return Bun.spawnSync(["git", "-C", root, ...own, ...args], { env, stdio: ["ignore", "ignore", "ignore"] })
    .exitCode
}

function perform(root: string, step: Edit): void {
  switch (step.kind) {
    case "write":
      write(root, step.path, textOf(step.path, step.number))
      break
    case "append":
      appendFileSync(join(root, step.path), textOf(step.path, step.number))
      break
    case "binary":
      write(root, step.path, new Uint8Array(24))
      break
    case "touch":
      touch(join(root, step.path), step.number)
      break
    case "remove":
      rmSync(join(root, step.path), { recursive: true })
      break
    case "rename":
      mkdirSync(dirname(join(root, step.to)), { recursive: true })
      renameSync(join(root, step.path), join(root, step.to))
      break
    case "commit":
    case "switch":
    case "rebase":
    case "reset":
      performInGit(root, step)
      break
    case "gitignore":
      write(root, `${step.in}/.gitignore`, `${step.rule}\n`)
      break
    case "gitattributes":
      write(root, `${step.in}/.gitattributes`, `${step.attributes}\n`)
      break
    case "amanignore":
      write(root, ".amanignore", `${step.rule}\n`)
      break
    case "settings":
      write(root, ".aman.yaml", step.setting)
  }
}

function performInGit(
  root: string,
  step: Extract<Edit, { kind: "commit" | "switch" | "rebase" | "reset" }>,
): void {
  if (step.kind === "switch") git(root, "switch", "-q", "--force", step.branch)
  else if (step.kind === "reset") {
    git(root, "reset", "-q", "--hard")
    git(root, "clean", "-qfd", "--exclude=.aman")
  } else {
    git(root, "add", "-A")
    git(root, "commit", "-qm", "work")
    if (step.kind === "commit") return
    const failed = git(root, "rebase", "-q", "-X", "ours", step.branch) !== 0
    if (failed) git(root, "rebase", "--abort")
  }
}

/** Sets the file's time to some hours ago or ahead. */
function touch(path: string, number: number): void {
  const at = Date.now() / 1000 + (number - 5) * 40_000
  utimesSync(path, at, at)
}

function write(root: string, path: string, content: string | Uint8Array): void {
  const full = join(root, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, content)
}

/** Texts of a few kinds. Equal numbers give equal texts, so that some files are copies of each other. */
function textOf(path: string, number: number): string {
  if (number === 0) return ""
  if (path.endsWith(".json"))
    return JSON.stringify({ cache: { cache_size: number, ttl: "1h" }, tokens: [number] })
  if (path.endsWith(".md"))
    return `# Notes ${number}\n\nHow the parser reads tokens.\n\n## Errors of the lexer\n\nNone.\n`
  if (path.endsWith("min.js")) return `var t=${"readToken(1);".repeat(200 * number)}\n`
  const parts = Array.from({ length: number }, (_, i) => part(path, i, number))
  return `${parts.join("\n")}\n`
}

function part(path: string, i: number, number: number): string {
  const n = (i * 7 + number) % 10
  if (path.endsWith(".py"))
    return `class TokenStore${n}:\n    """Keeps tokens."""\n    def read_token(self):\n        return ${n}\n`
  if (path.endsWith(".go"))
    return `// lexer errors\nfunc LexerError${n}() error {\n\treturn parse(readToken(${n}))\n}\n`
  if (path.endsWith(".rs"))
    return `/// settings of the cache\nfn cache_size_${n}() -> usize {\n    TokenStore${n}::len()\n}\n`
  return `export function readToken${n}(parser: Parser) {\n  return parser.tokens[${n}] ?? lexerError(${n})\n}\n`
}
