import { messageOf } from "../../base/index.ts"
import { readCaptures } from "../file/captures.ts"
import { errorChars, type NoTree, startRuntime, withSyntaxTree } from "../file/syntax-tree.ts"
import type { Grammar } from "../languages/languages.ts"
import { SYMBOL_KINDS } from "../parsed-file.ts"
import { SCOPING } from "../references/scopes.ts"
import type { GrammarExample, GrammarTask, TrialReply, TriedExample } from "./try-grammar.ts"

declare const self: Worker

const EXAMPLE_MS = 5000
/** Texts on which a scanner may loop: an empty file, brackets without an end, beginnings of tokens. */
const HARD_TEXTS = ["", "(".repeat(2000), '"', "@a", "/*", "\\\n"]

const CAPTURES: ReadonlySet<string> = new Set([
  ..."name owner again body comment doc literal import package embedded container scope label value attribute used".split(
    " ",
  ),
  ...Object.keys(SCOPING),
  ...SYMBOL_KINDS.map((kind) => `definition.${kind}`),
])

self.onmessage = async ({ data }: MessageEvent<GrammarTask>) => {
  const reply: TrialReply = await tried(data).catch((error: unknown) => ({ refused: messageOf(error) }))
  self.postMessage(reply)
}

async function tried({ wasm, query, examples }: GrammarTask): Promise<TrialReply> {
  const { Language, Query } = await startRuntime()
  const language = Language.loadSync(await WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>))
  const compiled = new Query(language, query)
  const refused = refusedCaptures(compiled.captureNames)
  if (refused !== null) return { refused }
  const grammar: Grammar = {
    language,
    query: compiled,
    holdsOthers: false,
    hasConditions: false,
    stumbles: null,
    rewrites: [],
  }
  const found: TriedExample[] = []
  for (const example of examples) {
    const result = await parseExample(grammar, example)
    if ("reason" in result) return { refused: `${example.name}: ${result.reason}` }
    found.push(result)
  }
  // These texts come last, because an error in a scanner ends the use of the parser. A failure is no reason to refuse
  // the grammar: files that cannot be parsed are split by lines.
  for (const text of HARD_TEXTS) await parseExample(grammar, { name: "", text })
  return { abi: language.abiVersion, examples: found }
}

function refusedCaptures(names: readonly string[]): string | null {
  const unknown = names.find(
    (name) => !name.startsWith("_") && !name.startsWith("binding.") && !CAPTURES.has(name),
  )
  if (unknown !== undefined) return `its query has the unknown capture @${unknown}`
  const isDefining = names.includes("name") && names.some((name) => name.startsWith("definition."))
  return isDefining ? null : "its query defines nothing: a pattern needs @name and @definition.<kind>"
}

function parseExample(grammar: Grammar, { name, text }: GrammarExample): Promise<TriedExample | NoTree> {
  return withSyntaxTree(grammar, text, EXAMPLE_MS, (root, isLate) => ({
    name,
    definitions: readCaptures(grammar.query, root, isLate).definitions.length,
    errors: text.length === 0 ? 0 : errorChars(root, isLate) / text.length,
  }))
}
