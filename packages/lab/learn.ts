/**
 * Makes tasks from the histories of public repositories: the description of a change, and the files, lines and
 * definitions that it touched.
 *
 *   bun packages/lab/learn.ts bring   --mirrors DIR [--only OWNER/NAME,…]
 *   bun packages/lab/learn.ts mine    --mirrors DIR --out DIR [--never never-train.txt] [--only OWNER/NAME,…] [--pin]
 *   bun packages/lab/learn.ts lay-out --mirrors DIR --trees DIR [--split develop] [--only OWNER/NAME,…]
 *
 * bring    clones the repositories of packages/lab/learn/repositories.json that DIR lacks, as OWNER+NAME/repo
 * mine     writes learn.jsonl, develop.jsonl and closed.jsonl to the folder --out, one task per line
 *          (packages/lab/learn/task.ts). Repositories whose tasks are already in it are not mined again. --pin writes the
 *          newest commit and the base of new entries into repositories.json
 * lay-out  writes each repository's files at its base commit to TREES/OWNER+NAME, for indexing
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { mineAll } from "./learn/mine-all.ts"
import { bringMirror, headOf, layOut } from "./learn/mirrors.ts"
import { LIST_FILE, type RepositoryEntry, readRepositories, SPLITS } from "./learn/repositories.ts"
import { neverTrained } from "./train/forbidden.ts"

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mirrors: { type: "string" },
    out: { type: "string" },
    trees: { type: "string" },
    never: { type: "string", default: "../shared/bench/never-train.txt" },
    only: { type: "string" },
    split: { type: "string", default: "develop" },
    workers: { type: "string", default: "1" },
    pin: { type: "boolean", default: false },
  },
})
const mirrors = needed("mirrors")
const all = readRepositories()
const names = options.only?.split(",")
const chosen = all.filter(({ name }) => names === undefined || names.includes(name))
const gitDirOf = (name: string) => join(mirrors, name.replace("/", "+"), "repo")

switch (positionals[0]) {
  case "bring":
    for (const { name } of chosen) if (!existsSync(gitDirOf(name))) bringMirror(name, gitDirOf(name))
    break
  case "mine":
    await mine(needed("out"))
    break
  case "lay-out":
    for (const { name, base, split } of chosen) {
      if (split !== options.split || base === null) continue
      const files = layOut(gitDirOf(name), base, join(needed("trees"), name.replace("/", "+")))
      console.log(files === null ? `${name}: already there` : `${name}: ${files} files`)
    }
    break
  default:
    console.error("learn: bring, mine or lay-out is needed; see the head of packages/lab/learn.ts")
    process.exit(2)
}

function needed(name: "mirrors" | "out" | "trees"): string {
  const value = options[name]
  if (value !== undefined) return value
  console.error(`learn: --${name} DIR is needed`)
  process.exit(2)
}

async function mine(out: string): Promise<void> {
  refuseJudges()
  const entries = chosen.filter(({ name }) => existsSync(gitDirOf(name))).map(pinned)
  mkdirSync(out, { recursive: true })
  const mined = await mineAll(entries, {
    out: join(out, "repositories"),
    workers: Number(options.workers),
    gitDirOf,
    onDone: ({ name, count, error }) => console.log(`${name}: ${error ?? `${count} tasks`}`),
  })
  for (const split of SPLITS) {
    const files = mined
      .filter(({ entry }) => entry.split === split)
      .map(({ file }) => readFileSync(file, "utf8"))
    writeFileSync(join(out, `${split}.jsonl`), files.join(""))
    console.log(`${split}: ${files.join("").split("\n").length - 1} tasks of ${files.length} repositories`)
  }
  if (options.pin) writePins(mined.map(({ entry }) => entry))
}

/** Throws for projects on which other measures are judged, because nothing may be learnt from them. */
function refuseJudges(): void {
  const never = neverTrained(options.never)
  const refused = all.filter(({ name }) => never.has(name.toLowerCase()))
  if (refused.length > 0) throw new Error(`must not be learnt from: ${refused.map(({ name }) => name)}`)
}

/** The entry with a commit; a new entry gets the newest one of its mirror. */
function pinned(entry: RepositoryEntry): RepositoryEntry & { readonly commit: string } {
  return { ...entry, commit: entry.commit ?? headOf(gitDirOf(entry.name)) }
}

function writePins(entries: readonly RepositoryEntry[]): void {
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  writeFileSync(
    LIST_FILE,
    `${JSON.stringify(
      all.map((entry) => byName.get(entry.name) ?? entry),
      null,
      2,
    )}\n`,
  )
}
