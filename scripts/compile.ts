/**
 * Builds the binary; every other script and workflow uses this one:
 *
 *   bun scripts/compile.ts [--target linux-arm64] [--outfile dist/aman] [--version 1.2.3] [--commit abc1234] [src/main.ts]
 *   bun scripts/compile.ts --all        a binary for every system, dist/aman-<target>
 */

import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { BunPlugin } from "bun"
import { signatureProblems } from "./release/code-signature.ts"
import { signFile } from "./release/sign-file.ts"
import { bunExecutable, TARGETS, type Target, targetNamed } from "./targets.ts"
import { findWorkers, rewriteWorkers } from "./workers.ts"

const project = join(import.meta.dir, "..")
const sources = join(project, "src")

type Wanted = {
  readonly main: string
  readonly version: string
  readonly commit: string
  readonly outfile: string
  /** Null for this machine. */
  readonly target: Target | null
}

await run(process.argv.slice(2))

async function run(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      all: { type: "boolean", default: false },
      target: { type: "string" },
      outfile: { type: "string", default: join(project, "dist", "aman") },
      version: { type: "string", default: packageVersion() },
      commit: { type: "string", default: currentCommit() },
    },
  })
  prepareGrammars()
  const { version, commit } = values
  const wanted = { main: resolve(positionals[0] ?? join(sources, "main.ts")), version, commit }
  const outfile = resolve(values.outfile)
  if (values.all) {
    for (const target of TARGETS) await compile({ ...wanted, target, outfile: `${outfile}-${target.name}` })
  } else {
    const target = values.target === undefined ? null : targetNamed(values.target)
    await compile({ ...wanted, target, outfile })
  }
}

async function compile({ main, version, commit, outfile, target }: Wanted): Promise<void> {
  const extension =
    (target?.os ?? process.platform).startsWith("win") && !outfile.endsWith(".exe") ? ".exe" : ""
  const final = outfile + extension
  // A running binary cannot be written to, so the new one is built elsewhere and takes its name.
  const staging = join(dirname(outfile), `.${basename(outfile)}-${process.pid}`)
  mkdirSync(staging, { recursive: true })
  // The name of the output file is written into the binary, so it is the same for every build.
  const built = join(staging, final.endsWith(".exe") ? "aman.exe" : "aman")
  // The rooms import the packed grammars, so they are loaded once these exist.
  const { bundleMap, bundlePage, bundleView } = await import("../packages/page/index.ts")
  try {
    await Bun.build({
      entrypoints: [main, ...findWorkers(sources)],
      root: sources,
      target: "bun",
      format: "esm",
      splitting: true,
      bytecode: true,
      minify: true,
      sourcemap: "inline",
      define: {
        AMAN_VERSION: JSON.stringify(version),
        AMAN_COMMIT: JSON.stringify(commit),
        AMAN_GUIDES: JSON.stringify(await guides()),
        AMAN_PAGE: JSON.stringify(JSON.stringify(await bundlePage())),
        AMAN_MAP: JSON.stringify(await bundleMap()),
        AMAN_VIEW: JSON.stringify(await bundleView()),
        AMAN_MUSL: JSON.stringify(target?.libc === "musl"),
      },
      plugins: [workerAddresses()],
      // As files, which aman unpacks itself (src/index/vector/native.ts).
      loader: { ".node": "file" },
      compile: {
        outfile: built,
        ...(target === null ? {} : { target: target.bun, executablePath: bunExecutable(target) }),
        // A project that is being indexed must neither run code in aman nor change its settings.
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    })
    chmodSync(built, 0o755)
    if ((target?.os ?? process.platform) === "darwin") mendSignature(built)
    renameSync(built, final)
    console.log(`${final} ${version} (${commit})`)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** The index of `aman help WORDS`. */
async function guides(): Promise<string> {
  const [{ loadGuides }, { loadCommandsModule, loadHelp }, { loadTeamCommand }] = await Promise.all([
    import("../src/ask/index.ts"),
    import("../src/doors/index.ts"),
    import("../packages/team/index.ts"),
  ])
  const [{ guideIndex }, { allDefinitions }] = [await loadGuides(), await loadHelp()]
  const { addTeamCommand } = await loadCommandsModule()
  addTeamCommand(async () => (await loadTeamCommand()).teamCommand)
  return guideIndex(await allDefinitions())
}

/**
 * Signs a binary for macOS again if its signature is wrong: Bun 1.4.5 leaves in x64 binaries the page hashes of
 * the runtime that they were built from, and macOS would kill them.
 */
function mendSignature(path: string): void {
  const file = readFileSync(path)
  if (signatureProblems(file).length > 0) signFile(path, file)
}

/**
 * Rewrites the addresses of workers: a source names a worker by a file beside it, but in the binary all code is
 * at the top and workers are in folders.
 */
function workerAddresses(): BunPlugin {
  return {
    name: "worker-addresses",
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
        contents: rewriteWorkers(readFileSync(path, "utf8"), path, sources),
        loader: "ts",
      }))
    },
  }
}

/**
 * Packs the grammars, which come from packages and must be in place before the build, because it embeds them.
 */
function prepareGrammars(): void {
  const { status } = spawnSync(process.execPath, [join(import.meta.dir, "grammars.ts")], { stdio: "inherit" })
  if (status !== 0) throw new Error("scripts/grammars.ts failed")
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { version: string }
  return version
}

function currentCommit(): string {
  const { stdout } = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: project, encoding: "utf8" })
  return stdout?.trim() || "unknown"
}
