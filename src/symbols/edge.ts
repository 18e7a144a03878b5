import { USE, type Use } from "../code/references/use-code.ts"
import type { OutlineRow, SymbolRow } from "../store/index/symbols.ts"
import type { SymbolDefinition } from "./definition.ts"
import type { FileView } from "./file-view.ts"

export type EdgeKind = "call" | "import" | "inherits" | "mention"

/** A use that refers to a definition. */
export type Edge = {
  readonly file: FileView
  readonly line: number
  readonly kind: EdgeKind
  readonly confidence: number
  /** The name at the use, when it differs from the name that was searched for. */
  readonly name?: string
  /** The definition that the use refers to; null when it is unresolved. */
  readonly target: SymbolDefinition | null
  /** The function or type around the use; null at the top of a file. */
  readonly within: SymbolRow | null
  /** The function or type around the use, from the outline of the file: the file itself need not be read. */
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
    // A getter, because of thousands of edges only a few are shown and need this value.
    get within() {
      return file.outline.enclosing(use.line)
    },
    get around() {
      return file.outline.around(use.line)
    },
  }
}

/** An edge for a place that is known by its line alone, not by a stored use. */
export function edgeAt(
  file: FileView,
  line: number,
  { kind, confidence, target, name }: Required<Pick<Edge, "kind" | "confidence" | "target" | "name">>,
): Edge {
  return {
    ...{ file, line, kind, confidence: Math.round(confidence * 100) / 100, target, name },
    within: file.outline.enclosing(line),
    around: file.outline.around(line),
  }
}

export function kindOf(flags: number): EdgeKind {
  // `(await import("./a.ts")).run()` is both an import and a call.
  if ((flags & USE.import) !== 0) return (flags & USE.call) !== 0 ? "call" : "import"
  if ((flags & USE.base) !== 0) return "inherits"
  return (flags & USE.call) !== 0 ? "call" : "mention"
}
