import { readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

const NEW_WORKER = /new Worker\(\s*new URL\(\s*(["'])(\.[^"']*)\1\s*,\s*import\.meta\.url\s*\)/g

/** Absolute paths of all files that a source starts as a worker; each is an entry point of the build. */
export function findWorkers(sources: string): string[] {
  const found = new Set<string>()
  for (const path of new Bun.Glob("**/*.ts").scanSync(sources)) {
    if (path.endsWith(".test.ts")) continue
    const file = join(sources, path)
    for (const match of readFileSync(file, "utf8").matchAll(NEW_WORKER))
      found.add(join(dirname(file), match[2]!))
  }
  return [...found].sort()
}

/**
 * Rewrites `new URL("./worker.ts", import.meta.url)` for the binary, in which code is at the top and a worker
 * at its place below the sources. The address stays relative to import.meta.url and not to the working
 * directory, because a project must not be able to offer a worker of its own.
 */
export function rewriteWorkers(text: string, file: string, sources: string): string {
  return text.replace(NEW_WORKER, (whole, quote: string, address: string) => {
    const place = relative(sources, join(dirname(file), address)).replaceAll("\\", "/")
    return whole.replace(quote + address + quote, JSON.stringify(`./${place}`))
  })
}
