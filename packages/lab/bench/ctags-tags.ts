import { spawnSync } from "node:child_process"

/** A definition found by aman or by ctags: its bare name, and its kind in that program's terms. */
export type Tag = { readonly name: string; readonly kind: string }

/**
 * A language by aman's id and by ctags' name, and the letters of the ctags kinds that aman counts as
 * definitions, too.
 */
export type TaggedLanguage = { readonly id: string; readonly ctags: string; readonly kinds: string }

/**
 * The ten most common languages according to GitHub's Octoverse. Left out everywhere: locals, parameters,
 * imports and includes, and packages, which aman treats as a property of the file and not as symbols.
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

/**
 * True for a tag inside a function, judged by its scope if ctags knows it. For callbacks of JavaScript and
 * TypeScript it does not, so those are judged by their indentation.
 */
function isLocal({ scopeKind, pattern }: CtagsTag, id: string): boolean {
  if (scopeKind !== undefined) return /^(?:function|method)$/.test(scopeKind)
  return id.endsWith("script") && /^\/\^\s/.test(pattern ?? "")
}

export function hasCtags(): boolean {
  return (
    spawnSync("ctags", ["--version"], { encoding: "utf8" }).stdout?.startsWith("Universal Ctags") ?? false
  )
}

/** Tags of each file, by the file's path as given. */
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
    // Skips anonymous definitions, whose names are made up by ctags.
    if (!/^(?:__anon|Anonymous(?:Class|Function)|anonymous)/.test(name))
      tags.get(path)?.push({ name: bare(name), kind })
  }
  return tags
}

/**
 * The name in the form in which both programs agree: `operator ()` as `operator()`, `a.b` as `b`, `name=` as
 * `name`.
 */
export function bare(name: string): string {
  const compact = name.replace(/\s+/g, "")
  if (compact.startsWith("operator")) return compact
  return compact.replace(/^.*(?:\.|::|#)(?=[^.:#])/, "").replace(/^\$|=$/g, "")
}
