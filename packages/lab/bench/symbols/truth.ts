import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs"
import { basename, join } from "node:path"
import { childEnv } from "../processes.ts"
import type { Bench } from "../section.ts"
import type { Fact } from "./facts.ts"
import { pythonFacts } from "./truth/python.ts"
import { rustFacts } from "./truth/rust.ts"

/** Compilers that can say what the names of a project mean. */
export type Compiler = "go" | "typescript" | "python" | "rust" | "java"

/** A folder of tools and one with a copy of the project, to which its packages are added. */
type Place = { readonly tools: string; readonly root: string }

const TRUTH = join(import.meta.dir, "truth")

/**
 * File with a compiler's facts about a tree (facts.ts). It is made if it is not there, which takes minutes, needs the
 * language's toolchain, and downloads the project's packages; Rust also runs their build scripts.
 */
export async function factsOf(compiler: Compiler, tree: string, { scratch, note }: Bench): Promise<string> {
  const path = join(scratch, "facts", `${basename(tree)}.jsonl`)
  if (existsSync(path)) return path
  note(`${basename(tree)}: asking the compiler`)
  const place = { tools: join(scratch, "compilers"), root: join(scratch, "compiled", basename(tree)) }
  for (const folder of [join(scratch, "facts"), place.tools]) mkdirSync(folder, { recursive: true })
  cpSync(tree, place.root, { recursive: true })
  const part = openSync(`${path}.part`, "w")
  for await (const fact of FACTS[compiler](place))
    writeSync(part, typeof fact === "string" ? fact : `${JSON.stringify(fact)}\n`)
  closeSync(part)
  renameSync(`${path}.part`, path)
  return path
}

/** Facts, or the text of their lines. */
type Facts = Iterable<Fact | string> | AsyncIterable<Fact | string>

const FACTS: Readonly<Record<Compiler, (place: Place) => Facts>> = {
  go: ({ root }) => [output(["go", "-C", join(TRUTH, "go"), "run", ".", root])],
  typescript: ({ tools, root }) => {
    output(["npm", "install", "--prefix", tools, "typescript@5.9"])
    if (existsSync(join(root, "pnpm-lock.yaml")))
      output(["npx", "-y", "pnpm@10", "install", "--ignore-scripts"], root)
    else output(["npm", "install", "--ignore-scripts", "--no-audit", "--legacy-peer-deps"], root)
    return [output(["node", join(TRUTH, "typescript.cjs"), join(tools, "node_modules/typescript"), root])]
  },
  java: ({ root }) => {
    const classpath = join(root, "classpath")
    // Where a module fails, its libraries stay unknown; the project's own types do not.
    if (existsSync(join(root, "pom.xml")))
      output(
        ["mvn", "-q", "-B", "-fae", "dependency:build-classpath", `-Dmdep.outputFile=${classpath}`],
        root,
        true,
      )
    const libraries = existsSync(classpath) ? readFileSync(classpath, "utf8") : ""
    return [output(["java", join(TRUTH, "JavaTruth.java"), root, libraries])]
  },
  python: ({ tools, root }) => {
    output(["npm", "install", "--prefix", tools, "pyright"])
    const server = ["node", join(tools, "node_modules/pyright/langserver.index.js"), "--stdio"]
    return pythonFacts(
      root,
      output(["python3", join(TRUTH, "names.py"), root]),
      server,
      join(tools, "python"),
    )
  },
  rust: ({ root }) => {
    const index = join(root, "index.scip")
    output(["rust-analyzer", "scip", root, "--output", index])
    return rustFacts(root, readFileSync(index))
  },
}

function output(command: readonly string[], cwd?: string, mayFail = false): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], {
    ...(cwd !== undefined && { cwd }),
    env: childEnv(),
    stdout: "pipe",
    stderr: "pipe",
  })
  if (exitCode !== 0 && !mayFail) throw new Error(`${command.join(" ")}: ${stderr.toString().slice(-2000)}`)
  return stdout.toString()
}
