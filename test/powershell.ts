import { fileURLToPath } from "node:url"
import { Language, Parser } from "web-tree-sitter"

/**
 * Line numbers at which PowerShell's grammar cannot parse a script; used where no PowerShell is installed to
 * run it.
 */
export async function powershellMistakes(script: string): Promise<string[]> {
  await Parser.init()
  const grammar = import.meta.resolve("tree-sitter-powershell/tree-sitter-powershell.wasm")
  const parser = new Parser().setLanguage(await Language.load(fileURLToPath(grammar)))
  const root = parser.parse(script)!.rootNode
  const wrong = root.descendantsOfType("ERROR").map((node) => node!.startPosition.row + 1)
  if (wrong.length === 0 && root.hasError) return ["something is missing"]
  return wrong.map((line) => `line ${line}: ${script.split("\n")[line - 1]}`)
}
