export type Import = { readonly line: number; readonly path: string }

// Every way to name another file of the project begins with a dot: import, export … from, import(),
// import("…").T, require, require.resolve, new URL("…", import.meta.url). So every such string counts.
const RELATIVE = /(["'`])(\.{1,2}\/[^"'`$\n]*)\1/g
const PACKAGE = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^."'\n][^"'\n]*)\1/g
// What is imported must be written out, or no test can know it.
const COMPUTED = /\b(?:import|require)\s*\(\s*(?!\s*["'])[^)]*\)/g
const TEMPLATE = /`\.{1,2}\/[^`]*\$\{/g

/** Relative imports of a source, static, type-only and dynamic, with the assets and workers it names. */
export function relativeImports(source: string): Import[] {
  // A folder cannot be imported.
  return found(withoutComments(source), RELATIVE, 2).filter(({ path }) => !path.endsWith("/"))
}

export function packageImports(source: string): Import[] {
  return found(withoutComments(source), PACKAGE, 2)
}

/** Imports whose target only shows when they run. */
export function computedImports(source: string): Import[] {
  const code = withoutComments(source)
  return [...found(code, COMPUTED, 0), ...found(code, TEMPLATE, 0)]
}

function found(code: string, pattern: RegExp, group: number): Import[] {
  return [...code.matchAll(pattern)].map((match) => ({
    path: match[group]!,
    line: code.slice(0, match.index).split("\n").length,
  }))
}

/**
 * Lines that are nothing but comment become empty, so that lines keep their numbers. A path in a
 * comment behind code counts: no state that a regular expression with a quote in it could confuse.
 */
function withoutComments(source: string): string {
  return source.replace(/^[ \t]*(?:\/\/|\/\*|\*[ /]|\*$).*$/gm, "")
}
