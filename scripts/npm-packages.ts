/**
 * Makes the npm packages from the binaries of `npm run build -- --all`: one for each system, and a launcher that has
 * them as optional dependencies, so that npm installs only the one for the user's system.
 *
 *   bun scripts/npm-packages.ts [--from dist] [--out dist/npm] [--version 1.2.3]
 */
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { PRODUCT, project, repository } from "./release/product.ts"
import { TARGETS, type Target } from "./targets.ts"

const PAPERS = ["LICENSE", "THIRD_PARTY_NOTICES"]

if (import.meta.main) run(process.argv.slice(2))

function run(argv: readonly string[]): void {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      from: { type: "string", default: join(project, "dist") },
      out: { type: "string", default: join(project, "dist", "npm") },
      version: { type: "string", default: PRODUCT.version },
    },
  })
  const out = resolve(values.out)
  rmSync(out, { recursive: true, force: true })
  for (const target of TARGETS) {
    const binary = join(resolve(values.from), `aman-${target.name}${extension(target)}`)
    // After a partial build, only the systems with a binary are packed; the launcher names all of them.
    if (existsSync(binary)) platformPackage(out, target, binary, values.version)
  }
  launcherPackage(out, values.version)
}

function platformPackage(out: string, target: Target, binary: string, version: string): void {
  const folder = join(out, `aman-${target.name}`)
  const program = join(folder, "bin", `aman${extension(target)}`)
  mkdirSync(join(folder, "bin"), { recursive: true })
  place(binary, program)
  papers(folder)
  writePackage(folder, {
    name: platformName(target),
    version,
    description: `The program itself, for ${target.name}; installed by the package aman.`,
    os: [target.os === "windows" ? "win32" : target.os],
    cpu: [target.name.includes("arm64") ? "arm64" : "x64"],
    ...(target.libc === null ? {} : { libc: [target.libc] }),
    files: ["bin", ...PAPERS],
    preferUnplugged: true,
  })
}

function launcherPackage(out: string, version: string): void {
  const folder = join(out, "aman")
  mkdirSync(join(folder, "bin"), { recursive: true })
  for (const name of ["aman.cjs", "launch.cjs"]) {
    copyFileSync(join(import.meta.dir, "launchers", name), join(folder, "bin", name))
  }
  copyFileSync(join(project, "README.md"), join(folder, "README.md"))
  papers(folder)
  writePackage(folder, {
    name: PRODUCT.name,
    version,
    description: PRODUCT.description,
    mcpName: `io.github.${repository()}`,
    bin: { aman: "bin/aman.cjs" },
    engines: { node: ">=18" },
    files: ["bin", ...PAPERS],
    optionalDependencies: Object.fromEntries(TARGETS.map((target) => [platformName(target), version])),
  })
}

function writePackage(folder: string, fields: Readonly<Record<string, unknown>>): void {
  const { name, version, description, ...more } = fields
  const common = {
    license: PRODUCT.license,
    repository: { type: "git", url: `git+https://github.com/${repository()}.git` },
  }
  const text = JSON.stringify({ name, version, description, ...common, ...more }, null, 2)
  writeFileSync(join(folder, "package.json"), `${text}\n`)
}

function papers(folder: string): void {
  for (const paper of PAPERS) copyFileSync(join(project, paper), join(folder, paper))
}

/** Links a file if the disk supports it, else copies it: the binaries together have a gigabyte. */
function place(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
  chmodSync(to, 0o755)
}

/** npm allows only lower case in scopes. */
function scope(): string {
  return `@${repository().split("/")[0]!.toLowerCase()}`
}

function platformName(target: Target): string {
  return `${scope()}/aman-${target.name}`
}

function extension(target: Target): string {
  return target.os === "windows" ? ".exe" : ""
}
