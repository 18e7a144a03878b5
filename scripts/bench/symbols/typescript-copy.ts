import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
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

/** The TypeScript files of a project, laid under one configuration, whatever its own are: one program sees all of it. */
export function copyTypeScript(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  for (const path of sourcesIn(from)) {
    mkdirSync(join(to, dirname(path)), { recursive: true })
    cpSync(join(from, path), join(to, path))
  }
  const config = { compilerOptions: OPTIONS, include: ["**/*.ts", "**/*.tsx"] }
  writeFileSync(join(to, "tsconfig.json"), JSON.stringify(config))
}

function sourcesIn(root: string): string[] {
  if (!existsSync(root)) return []
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => !/(?:^|\/)(?:\.git|\.aman|node_modules|dist)\//.test(path))
}
