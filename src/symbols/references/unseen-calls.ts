import { isType, type SymbolDefinition } from "../definition.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import type { OutsideCaller } from "./outside-callers.ts"

/**
 * Why calls of a definition cannot be found by its name: the language or its file calls by names made at run time, or
 * something other than code reads it; null otherwise. `lines` are the lines of its file.
 */
export function unseenCall(
  definition: SymbolDefinition,
  lines: readonly string[],
  graph: SymbolGraph,
): OutsideCaller | null {
  if (UNCERTAIN_LANGUAGES.test(definition.file.language))
    return "in a language that calls by names made at run time"
  if (callsByComputedName(definition, lines)) return "in a file that calls by computed names"
  if (isTagOfVariable(definition, lines)) return "named in code that is not understood"
  if (isSetting(definition, lines) || isAnnotationElement(definition, graph) || isGlobal(definition, lines))
    return "found by a framework through its name or place"
  return null
}

/**
 * Languages in which code often calls by a name that is made at run time, or in which another program or the user calls
 * a function by its name.
 */
const UNCERTAIN_LANGUAGES = /^(?:bash|zsh|fish|powershell|perl|ruby|emacs-lisp|awk|tex|objective-c)$/

/** Matches code that calls a function or method of its own object or module by a name that is not written out. */
const COMPUTED_CALLS: Readonly<Record<string, RegExp>> = {
  python:
    /\b(?:get|has)attr\(\s*(?:self|cls|type\(self\)|super\(\)|sys\.modules\[__name__\]|self\.__class__)\s*,(?!\s*["'][\w.]+["']\s*[,)])|\b(?:globals|locals|vars)\(\)\s*(?:\[|\.get\()|\binspect\.getmembers\(/,
  js: /\bthis\[(?!\s*(?:["'][\w-]+["']|\d+)\s*\])[^\]]*\]\s*(?:\?\.)?\(/,
  php: /\$this->(?:\$|\{)[^=;]*?\(|\b(?:static|self)::\$\w+\(|\[\s*\$this\s*,\s*\$/,
}

/** True for a function or method in a file whose code calls its own functions by names that are not written out. */
function callsByComputedName({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  const pattern = COMPUTED_CALLS[file.family]
  if (pattern === undefined || isType(symbol)) return false
  return lines.some((line) => line.length <= MAX_LINE_CHARS && pattern.test(line))
}

const MAX_LINE_CHARS = 500

/**
 * True for a macro of C that other code than the project's reads: a reserved name, or one without parameters that is
 * set before a header is included.
 */
function isSetting({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  if (file.family !== "c") return false
  if (isType(symbol)) return STL_TYPES.test(symbol.name)
  if (symbol.kind !== "macro") return false
  if (/^_(?:_|[A-Z])/.test(symbol.name)) return true
  if (symbol.signature.includes(`${symbol.name}(`)) return false
  const below = lines.slice(symbol.startLine)
  if (!/\.h\w*$/.test(file.path)) return below.some((line) => INCLUDE.test(line))
  return INCLUDE.test(below.find((line) => !/^\s*(?:$|#\s*define\b|\/\/)/.test(line)) ?? "")
}

const INCLUDE = /^\s*#\s*include\b/

/**
 * True for a global function that a program outside of the project may call: of Lua, of a JavaScript file that is no
 * module, and of C++ in a file with functions for C.
 */
function isGlobal({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  if (symbol.kind !== "function" || symbol.owner !== null) return false
  const line = lines[symbol.startLine - 1] ?? ""
  if (file.language === "lua") return /^function\b/.test(line)
  if (file.language === "javascript")
    return /^(?:async\s+)?function\b/.test(line) && !lines.some((each) => MODULE.test(each))
  if (file.language !== "cpp" || /\bstatic\b/.test(symbol.signature)) return false
  return lines.slice(0, symbol.startLine).some((each) => /^\s*extern\s+"C"\s*(?:\{|$)/.test(each))
}

/** Matches a line that makes a JavaScript file a module. */
const MODULE = /^\s*(?:import|export)\b|\brequire\s*\(|\bmodule\.exports\b|\bexports\.\w|\bdefine\s*\(/

/** True for a type of C that is declared together with a variable: `static const struct tag {…} all[]`. */
function isTagOfVariable({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  if (file.family !== "c" || !isType(symbol)) return false
  return /^\s*(?:static|const|extern)\b.*\b(?:struct|union|enum)\b/.test(lines[symbol.startLine - 1] ?? "")
}

/** Types that templates of C++'s library expect in a class. */
const STL_TYPES =
  /^(?:value|element|key|mapped|size|difference|result|(?:first_|second_)?argument|promise|allocator|char|traits|int|pos|off|state)_type$|^(?:const_|reverse_|const_reverse_)?(?:iterator|pointer|reference)$|^(?:iterator_(?:category|concept)|is_(?:transparent|always_equal|avalanching|steady)|rebind|duration|rep|period|time_point|propagate_on_\w+)$/

/** True for an element of an annotation of Java, which is read by reflection. */
function isAnnotationElement({ symbol, file }: SymbolDefinition, graph: SymbolGraph): boolean {
  if (file.family !== "jvm" || symbol.owner === null) return false
  return graph
    .definitionsOf(symbol.owner)
    .some((type) => type.file.id === file.id && /@interface\b/.test(type.symbol.signature))
}
