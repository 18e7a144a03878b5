import { USE, type Use } from "../code/use-code.ts"
import type { OutlineRow, SymbolRow } from "../store/symbols.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"

export type EdgeKind = "call" | "import" | "inherits" | "mention"

/** A use that means a definition. */
export type Edge = {
  readonly file: FileView
  readonly line: number
  readonly kind: EdgeKind
  readonly confidence: number
  /** What is used, where that is not the name asked for. */
  readonly name?: string
  /** The definition that is meant; null where none is for sure. */
  readonly target: Definition | null
  /** The function or type that the use stands in; null at the top of a file. */
  readonly within: SymbolRow | null
  /** The same, as far as it is known without reading it whole. */
  readonly around: OutlineRow | null
}

export function edgeOf(
  use: Use,
  file: FileView,
  { confidence, target, name }: Pick<Edge, "confidence" | "target" | "name">,
): Edge {
  return {
    ...(name === undefined ? {} : { name }),
    file,
    line: use.line,
    kind: kindOf(use.flags),
    confidence: Math.round(confidence * 100) / 100,
    target,
    // Of thousands of places few are shown.
    get within() {
      return file.outline.enclosing(use.line)
    },
    get around() {
      return file.outline.around(use.line)
    },
  }
}

export function kindOf(flags: number): EdgeKind {
  // `(await import("./a.ts")).run()` is both.
  if ((flags & USE.import) !== 0) return (flags & USE.call) !== 0 ? "call" : "import"
  if ((flags & USE.base) !== 0) return "inherits"
  return (flags & USE.call) !== 0 ? "call" : "mention"
}
