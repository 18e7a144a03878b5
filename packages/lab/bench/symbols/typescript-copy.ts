import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

const OPTIONS = {
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  module: "esnext",
  moduleResolution: "bundler",
  target: "esnext",
  jsx: "preserve",
  types: [],
}

/**
 * Copies the TypeScript files of a project and gives them one common configuration, so that one program sees
 * all of them.
 */
export function copyTypeScript(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  for (const path of sourcesIn(from)) {
    mkdirSync(join(to, dirname(path)), { recursive: true })
    cpSync(join(from, path), join(to, path))
  }
  const config = {
    compilerOptions: { ...OPTIONS, paths: packagesIn(from) },
    include: ["**/*.ts", "**/*.tsx"],
  }
  writeFileSync(join(to, "tsconfig.json"), JSON.stringify(config))
}

/** The project's own packages: the paths of each by the name under which the others import it. */
function packagesIn(root: string): Record<string, string[]> {
  const paths: Record<string, string[]> = {}
  for (const file of filesIn(root, /^package\.json$/)) {
    const { name } = JSON.parse(readFileSync(join(root, file), "utf8")) as { name?: string }
    if (name === undefined) continue
    const folder = `./${dirname(file)}`
    paths[name] = [`${folder}/src/index.ts`, `${folder}/index.ts`]
    paths[`${name}/*`] = [`${folder}/src/*`, `${folder}/src/*/index.ts`, `${folder}/*`]
  }
  return paths
}

function sourcesIn(root: string): string[] {
  return existsSync(root) ? filesIn(root, /\.tsx?$/) : []
}

function filesIn(root: string, name: RegExp): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => !/(?:^|\/)(?:\.git|\.aman|node_modules|dist)\//.test(path))
}
