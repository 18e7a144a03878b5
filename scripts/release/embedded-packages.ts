import { readFileSync } from "node:fs"
import { join } from "node:path"
import manifest from "../../grammars/manifest.json" with { type: "json" }
import { findWorkers } from "../workers.ts"

const project = join(import.meta.dir, "..", "..")
const sources = join(project, "src")

/** Folders below node_modules of all packages that are part of the binary, sorted by name. */
export async function embeddedPackages(): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(sources, "main.ts"), ...findWorkers(sources)],
    root: sources,
    target: "bun",
    format: "esm",
    splitting: true,
    metafile: true,
  })
  const page = await Bun.build({
    entrypoints: [join(project, "packages", "page", "browser", "main.ts")],
    target: "browser",
    metafile: true,
  })
  const inputs = { ...metafile?.inputs, ...page.metafile?.inputs }
  const bundled = Object.keys(inputs).flatMap(packageOf)
  if (bundled.length === 0) throw new Error("the build names no files it is made of")
  // Grammars of which grammars/copies has a copy are listed in the notices one by one, because their packages are not
  // installed.
  const grammars = manifest.languages.flatMap(({ grammar }) =>
    grammar && grammar.copy === undefined ? [grammar.package] : [],
  )
  return [...new Set([...bundled, ...grammars])].sort()
}

/** Package of a file: "a/node_modules/@b/c" for "node_modules/a/node_modules/@b/c/index.js". */
function packageOf(path: string): string[] {
  const found =
    /(?:^|[\\/])node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+(?:[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)*)[\\/]/.exec(
      path,
    )
  return found ? [found[1]!.replaceAll("\\", "/")] : []
}

export type PackageFacts = {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly author: string
}

export function packageFacts(folder: string): PackageFacts {
  const { name, version, license, licenses, author } = JSON.parse(
    readFileSync(join(project, "node_modules", folder, "package.json"), "utf8"),
  )
  // Packages from before 2013 have a list of licences.
  const said: string = license ?? licenses?.[0]?.type ?? ""
  return {
    name,
    version,
    license: said.replace(/^Apache 2\.0$/, "Apache-2.0"),
    author: typeof author === "string" ? author : (author?.name ?? ""),
  }
}
