/**
 * Asks two binaries the same about a project, at both doors, and prints every answer that differs:
 *
 *   bun scripts/net.ts --binary dist/aman --against OLD --tree DIR [--names 20]
 *
 * A change that moves code without changing answers has no differences. Names are the most central symbols of the tree,
 * and questions are their names as words. The exit code is 1 if an answer differs.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { createTwoFilesPatch } from "diff"
import { answersOf } from "../test/net/answers.ts"
import { callsAbout, type Subject } from "../test/net/calls.ts"

const { values } = parseArgs({
  options: {
    binary: { type: "string", default: "dist/aman" },
    against: { type: "string" },
    tree: { type: "string" },
    names: { type: "string", default: "20" },
  },
})
if (values.against === undefined || values.tree === undefined)
  throw new Error("usage: bun scripts/net.ts --binary NEW --against OLD --tree DIR [--names N]")
const tree = resolve(values.tree)
const scratch = mkdtempSync(join(tmpdir(), "aman-net-"))
try {
  const calls = callsAbout(await subjectOf(resolve(values.against), tree, Number(values.names)))
  const [old, now] = [await ask(values.against, "old"), await ask(values.binary, "new")]
  let differing = 0
  for (const [at, { title }] of calls.entries()) {
    if (old[at] === now[at]) continue
    differing++
    console.log(createTwoFilesPatch(title, title, old[at] ?? "", now[at] ?? "", "old", "new", { context: 1 }))
  }
  console.log(`${calls.length} answers, ${differing} differ`)
  process.exitCode = differing === 0 ? 0 : 1

  function ask(binary: string, name: string): Promise<string[]> {
    const home = join(scratch, name)
    mkdirSync(home)
    return answersOf({ binary: resolve(binary), project: tree, home }, calls)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function subjectOf(binary: string, root: string, count: number): Promise<Subject> {
  const home = join(scratch, "subject")
  mkdirSync(home)
  const child = Bun.spawn([binary, "symbol", "--central", "--json", "-n", `${count * 3}`], {
    cwd: root,
    env: { HOME: home, PATH: process.env["PATH"] ?? "", OLLAMA_HOST: "127.0.0.1:9" },
    stdout: "pipe",
  })
  const { related } = JSON.parse(await child.stdout.text()) as { related: { name: string; path: string }[] }
  const names = [...new Set(related.map(({ name }) => name))].slice(0, count)
  const paths = [...new Set(related.map(({ path }) => path))].slice(0, Math.ceil(count / 2))
  const words = names.map((name) => name.replaceAll(/(?<=[a-z])(?=[A-Z])|_/gu, " ").toLowerCase())
  const questions = words.map(
    (word, at) => `where does the ${word} meet the ${words[(at + 1) % words.length]}`,
  )
  return { names, paths, questions, folder: paths[0]?.split("/")[0] ?? "." }
}
