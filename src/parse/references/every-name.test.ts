import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "../file/parse.ts"
import { withSyntaxTree } from "../file/syntax-tree.ts"
import { allLanguages, languageOf, loadGrammar } from "../languages/languages.ts"
import { reservedWords } from "./words.ts"

const ROOT = join(import.meta.dir, "../../../test/fixtures")
const FILES = [...new Bun.Glob("{languages,bindings}/**/*").scanSync(ROOT)].sort()

/** Types of the leaves of syntax trees that are names. */
const NAME = /identifier|^(?:constant|alias|atom|name|instance_variable|symbol|var)$|_name$/
/** Parts of a tree whose names are text, keys of data, or the language's own. */
const NO_CODE =
  /comment|string|literal|text|attribute_name|erroneous|escape|label|jsx_text|pragma|builtin|primitive/
/**
 * Languages whose files use nothing by name, and pages: the page's grammar reads their scripts as plain text.
 */
const WITHOUT_USES: ReadonlySet<string> = new Set(["css", "terraform", "html", "vue", "svelte"])

const CODE = new Set(
  allLanguages().flatMap(({ id, kind, grammar }) =>
    kind === "code" && grammar !== null && !WITHOUT_USES.has(id) ? [id] : [],
  ),
)

type Leaf = { readonly type: string; readonly name: string; readonly line: number }

test.each(FILES.filter((path) => CODE.has(languageOf(path, "").id)))(
  "%s: each name in code is a use or the name of a definition",
  async (path) => {
    const text = readFileSync(join(ROOT, path), "utf8")
    const language = languageOf(path, text)
    const { uses, chunks } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
    const known = new Map<number, Set<string>>()
    const all = uses?.() ?? []
    for (const { line, name } of all) known.set(line, new Set([...(known.get(line) ?? []), ...wordsOf(name)]))
    // Uses of local variables are left out.
    const isLocal = ({ name, line }: Leaf) =>
      all.some((use) => use.name === name && use.line <= line && (use.until ?? 0) >= line)
    // An alias is stored as the name that it stands for.
    const aliases = Array.from(text.matchAll(/\bas (\w+)/g), ([, alias]) => alias!)
    const reserved = reservedWords(language.id)
    const found = await leaves(path, text)
    const symbols = chunks.flatMap((chunk) => chunk.symbols)
    const isDefined = ({ name, line }: Leaf) =>
      symbols.some(
        (symbol) =>
          wordsOf(symbol.name).includes(name) &&
          found.find((leaf) => leaf.name === name && leaf.line >= symbol.startLine)?.line === line,
      )
    const lost = found.filter(
      (leaf) =>
        leaf.name.length > 1 &&
        !reserved.has(leaf.name) &&
        !aliases.includes(leaf.name) &&
        !known.get(leaf.line)?.has(leaf.name) &&
        !isLocal(leaf) &&
        !isDefined(leaf),
    )
    expect(found.length).toBeGreaterThan(0)
    expect(lost.map(({ type, name, line }) => `${line} ${name} (${type})`)).toEqual([])
  },
)

function wordsOf(name: string): string[] {
  return name.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []
}

async function leaves(path: string, text: string): Promise<Leaf[]> {
  const grammar = (await loadGrammar(languageOf(path, text)))!
  const found: Leaf[] = []
  const result = await withSyntaxTree(grammar, text, 10_000, (root) => {
    const visit = (node: typeof root): null => {
      if (NO_CODE.test(node.type) && node.type !== "type_identifier") return null
      if (node.childCount === 0 && NAME.test(node.type)) {
        const [line, type] = [node.startPosition.row + 1, node.type]
        found.push(...wordsOf(node.text).map((name) => ({ type, name, line })))
      }
      for (const child of node.children) visit(child)
      return null
    }
    visit(root)
    return {}
  })
  if ("reason" in result) throw new Error(String(result.reason))
  return found
}
