import { spawnSync } from "node:child_process"

/** A definition by either program: its bare name, and its kind in the program's own terms. */
export type Tag = { readonly name: string; readonly kind: string }

/** A language as ctags calls it, and the kinds of tags that are definitions by our own measure too. */
export type TaggedLanguage = { readonly id: string; readonly ctags: string; readonly kinds: string }

/**
 * The ten commonest, after GitHub's Octoverse. Left out everywhere: locals, parameters, imports, includes, and
 * packages, which are no symbols here but a property of the file.
 */
export const TAGGED_LANGUAGES: readonly TaggedLanguage[] = [
  { id: "javascript", ctags: "JavaScript", kinds: "fcmvCgGSM" },
  { id: "python", ctags: "Python", kinds: "cfmv" },
  { id: "typescript", ctags: "TypeScript", kinds: "fcigemnpvCGa" },
  { id: "java", ctags: "Java", kinds: "acefgim" },
  { id: "csharp", ctags: "C#", kinds: "ceEfgimpst" },
  { id: "cpp", ctags: "C++", kinds: "cdefgmnpstuv" },
  { id: "php", ctags: "PHP", kinds: "cdfitv" },
  { id: "c", ctags: "C", kinds: "defgmpstuv" },
  { id: "go", ctags: "Go", kinds: "fctvsimna" },
  { id: "ruby", ctags: "Ruby", kinds: "cfmSCAa" },
]

type CtagsTag = Tag & { readonly path: string; readonly pattern?: string; readonly scopeKind?: string }

const VALUE = /^(?:constant|variable|property)$/

/** Told by its scope, if ctags knows it: for callbacks of JavaScript and TypeScript by its indentation. */
function isLocal({ scopeKind, pattern }: CtagsTag, id: string): boolean {
  if (scopeKind !== undefined) return /^(?:function|method)$/.test(scopeKind)
  return id.endsWith("script") && /^\/\^\s/.test(pattern ?? "")
}

export function hasCtags(): boolean {
  return (
    spawnSync("ctags", ["--version"], { encoding: "utf8" }).stdout?.startsWith("Universal Ctags") ?? false
  )
}

/** Tags of each file, by its path as given. */
export function ctagsOf(paths: readonly string[], { id, ctags, kinds }: TaggedLanguage): Map<string, Tag[]> {
  const args = [
    "--output-format=json",
    "--sort=no",
    "--fields=NFKPsZ",
    `--language-force=${ctags}`,
    `--kinds-${ctags}=${kinds}`,
  ]
  const { stdout } = spawnSync("ctags", [...args, "-L", "-", "-f", "-"], {
    input: paths.join("\n"),
    encoding: "utf8",
    maxBuffer: 1 << 30,
  })
  const tags = new Map<string, Tag[]>(paths.map((path) => [path, []]))
  for (const line of stdout.split("\n")) {
    if (!line.startsWith("{")) continue
    const tag = JSON.parse(line) as CtagsTag
    if (VALUE.test(tag.kind) && isLocal(tag, id)) continue
    const { name, path, kind } = tag
    // Anonymous ones have names of ctags' own making.
    if (!/^(?:__anon|Anonymous(?:Class|Function)|anonymous)/.test(name))
      tags.get(path)?.push({ name: bare(name), kind })
  }
  return tags
}

/** `operator ()` and `operator()`, `a.b` and `b`, `name=` and `name` are the same to both. */
export function bare(name: string): string {
  const compact = name.replace(/\s+/g, "")
  if (compact.startsWith("operator")) return compact
  return compact.replace(/^.*(?:\.|::|#)(?=[^.:#])/, "").replace(/^\$|=$/g, "")
}
