export type Import = { readonly line: number; readonly path: string }

// Every path to another file of the project begins with a dot: in import, export … from, import(),
// import("…").T, require, require.resolve, new URL("…", import.meta.url). So every string that begins with a
// dot and a slash counts.
const RELATIVE = /(["'`])(\.{1,2}\/[^"'`$\n]*)\1/g
const PACKAGE = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^."'\n][^"'\n]*)\1/g
// Imports with a computed path, which no test can check.
const COMPUTED = /\b(?:import|require)\s*\(\s*(?!\s*["'])[^)]*\)/g
const TEMPLATE = /`\.{1,2}\/[^`]*\$\{/g

/** Relative imports of a source: static, type-only and dynamic ones, and paths of assets and workers. */
export function relativeImports(source: string): Import[] {
  // A folder cannot be imported.
  return found(withoutComments(source), RELATIVE, 2).filter(({ path }) => !path.endsWith("/"))
}

export function packageImports(source: string): Import[] {
  return found(withoutComments(source), PACKAGE, 2)
}

/** Imports whose target is known only when they run. */
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
 * The source with comment lines emptied, so that line numbers stay. Comments after code are kept, because a
 * path in one does no harm and telling them from strings would take a parser.
 */
function withoutComments(source: string): string {
  return source.replace(/^[ \t]*(?:\/\/|\/\*|\*[ /]|\*$).*$/gm, "")
}
