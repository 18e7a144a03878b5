/**
 * Reads what the import statements of a file bind, and what a module of JavaScript exports under which name. One record
 * per statement is stored as a use of the name IMPORT_LIST; `importBindings` reads the records again.
 */

import { familyOf } from "../languages/family.ts"
import { rowAt, type TextLines } from "../text-lines.ts"
import { USE, type Use } from "./use-code.ts"
import type { ImportSpan } from "./use-scan.ts"

/** Name of the uses that record import statements. It contains a space, as no name in code does. */
export const IMPORT_LIST = "import list"

/** The name that an import takes of a module when it takes the whole module, or every name of it. */
export const WHOLE = "*"

/** The module of names that the file itself defines; no import can name it. */
export const OWN_MODULE = "="

/** The name in the file of a library of Dart whose part the file is. */
export const PART_OF = "part of"

/** The macro that `use` calls in Elixir: it may add any imports. */
export const USED_MACRO = "__using__"

/** One name that an import statement binds. */
export type ImportBinding = {
  readonly module: string
  /** The name in the module; WHOLE for the module itself; "default" for the default export of JavaScript. */
  readonly name: string
  /** The name in the file; WHOLE when every name of the module is bound; "" for a Go package under its own name. */
  readonly as: string
  /** True when other files can import the name from this file: `export { a } from "./b"`, `pub use`. */
  readonly isExported: boolean
  readonly line: number
}

type Spec = readonly [name: string, as: string]
type Placed = Statement & { readonly at: number }
type Statement = { readonly module: string; readonly specs: readonly Spec[]; readonly isExported?: boolean }

/** Max characters of one statement that are read. */
const MAX_CHARS = 20_000
/** Max number of names that are recorded of one file. */
const MAX_NAMES = 3_000

/** Uses that record the import statements of a file. */
export function importRecords(
  language: string,
  text: string,
  lines: TextLines,
  imports: readonly ImportSpan[],
): Use[] {
  const family = familyOf(language)
  const read = READERS[family]
  const found = (read === undefined ? [] : imports).flatMap(({ start, end, module }) => {
    const written = plain(text.slice(start, Math.min(end, start + MAX_CHARS)), family)
    return read!(written, module, text.slice(Math.max(0, start - MAX_BEFORE), start)).map((statement) => ({
      ...statement,
      at: start,
    }))
  })
  found.push(...(OWN_NAMES[family]?.(text) ?? []))
  let left = MAX_NAMES
  return found
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ module, specs, isExported, at }): Use[] => {
      const kept = specs.slice(0, left)
      left -= kept.length
      if (kept.length === 0) return []
      const parts = kept.map(([name, as]) => (as === name ? name : `${name}=${as}`))
      const qualifier = `${isExported ? "+" : "-"}${[module.replace(/\s+/g, " "), ...parts].join("\t")}`
      return [{ name: IMPORT_LIST, line: rowAt(lines, at) + 1, flags: USE.import, qualifier }]
    })
}

/** The names that the records of a file bind. */
export function importBindings(records: readonly Use[]): ImportBinding[] {
  return records.flatMap(({ qualifier, line }) => {
    const [module = "", ...parts] = (qualifier ?? "").slice(1).split("\t")
    const isExported = qualifier?.startsWith("+") === true
    return parts.map((part) => {
      const [name = "", as = name] = part.split("=", 2)
      return { module, name, as, isExported, line }
    })
  })
}

/** Characters before a statement that are read: the name to which a call of `require` or `import` is bound. */
const MAX_BEFORE = 300

/** The text without comments, with single spaces. */
function plain(text: string, family: string): string {
  const bare = family === "python" ? text.replace(/#[^\n]*|\\\n/g, " ") : text.replace(COMMENTS, " ")
  return bare.replace(/\s+/g, " ").trim()
}

const COMMENTS = /\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/[^\n]*/g

type Reader = (written: string, module: string, before: string) => Statement[]

/** For each language family, what a statement binds. */
const READERS: Readonly<Record<string, Reader>> = {
  js: ofScript,
  python: ofPython,
  go: ofGo,
  rust: ofRust,
  jvm: ofJvm,
  csharp: ofCsharp,
  php: ofPhp,
  dart: ofDart,
  elixir: ofElixir,
  lua: ofLua,
  swift: ofSwift,
}

/** For each language family, the names that a file gives to what it defines or imports. */
const OWN_NAMES: Readonly<Record<string, (text: string) => Placed[]>> = {
  js: ownExports,
  c: openedNamespaces,
  lua: returnedTable,
  ruby: constantAliases,
}

const ID = "[\\p{L}_$][\\p{L}\\p{N}_$]*"
const FROM = /^(import|export)\b(.*?)\bfrom ?["'`]/u
const BOUND = new RegExp(
  `(?:^|[\\s.;,(])(${ID}|\\{[^{}]*\\})\\s*(?::[^=;]*)?=\\s*(?:\\(\\s*)?(?:await\\s+)?$`,
  "u",
)
const LOADED = /^(.*?)\(? ?(?:await )?\b(?:require|import) ?\(.*?\)( ?\??\. ?([\w$]+))?[^.]*$/su

function ofScript(written: string, module: string, before: string): Statement[] {
  const [, word, clause] = FROM.exec(written) ?? []
  if (clause !== undefined) return [{ module, specs: scriptSpecs(clause), isExported: word === "export" }]
  if (/^import ?["']/.test(written)) return []
  const [, required] = new RegExp(`^import\\b ?(?:type )?(${ID}) ?= ?require`, "u").exec(written) ?? []
  if (required !== undefined) return [{ module, specs: [[WHOLE, required]] }]
  const [, head = "", , member] = LOADED.exec(written) ?? []
  const whole = head === "" ? before : head
  if (/\bmodule ?\.exports ?= ?$/.test(whole))
    return [
      {
        module,
        specs: [
          [WHOLE, WHOLE],
          ["default", "default"],
        ],
        isExported: true,
      },
    ]
  const bound = BOUND.exec(whole)?.[1]
  if (bound === undefined) return []
  if (member !== undefined) return bound.startsWith("{") ? [] : [{ module, specs: [[member, bound]] }]
  return [{ module, specs: bound.startsWith("{") ? listed(bound.slice(1, -1), KEYED) : [[WHOLE, bound]] }]
}

/** The names of `D, { a, type b as c }`, `* as ns` and `*`. */
function scriptSpecs(clause: string): Spec[] {
  const group = /\{([^}]*)\}/.exec(clause)
  const rest = group === null ? clause : clause.replace(group[0], "")
  const specs = group === null ? [] : listed(group[1]!, RENAMED)
  const star = new RegExp(`\\*(?: as (${ID}))?`, "u").exec(rest)
  if (star !== null) specs.push([WHOLE, star[1] ?? WHOLE])
  const isTyped = new RegExp(`^ (?:type|typeof|defer) (?:${ID}|\\{|\\*)`, "u").test(clause)
  const first = new RegExp(`^ (${ID})`, "u").exec(isTyped ? rest.replace(/^ \w+/, "") : rest)?.[1]
  if (first !== undefined) specs.push(["default", first])
  return specs
}

const RENAMED = new RegExp(`^(?:(?:type|typeof) (?!as ${ID}$|$))?(${ID})(?: as (${ID}))?$`, "u")
const KEYED = new RegExp(`^(${ID})(?:\\s*:\\s*(${ID}))?(?:\\s*=.*)?$`, "u")
const PYTHON_NAME = new RegExp(`^(${ID}|\\*)(?: as (${ID}))?$`, "u")

/** The names of a list with commas. */
function listed(list: string, pattern: RegExp): Spec[] {
  return list.split(",").flatMap((part): Spec[] => {
    const [, name, as = name] = pattern.exec(part.trim()) ?? []
    return name === undefined ? [] : [[name, as!]]
  })
}

/** Matches `export { a as b }` without a module. */
const OWN_LIST = /\bexport\s+(?:type\s+)?\{([^{}]{0,20000})\}(?!\s*from\b)/g
/** Matches `module.exports = { b: a }`. */
const OWN_OBJECT = /\bmodule\.exports\s*=\s*\{([^{}]{1,20000})\}/g
/** Matches `module.exports = a` and `export = a`. */
const OWN_WHOLE = /^(?:module\.exports|export)\s*=\s*(?:new\s+)?([A-Za-z_$][\w$]*)[ \t]*(?:;|$|\/[/*])/gm
/** Matches the function or class that `export default` or `module.exports =` exports, or the value behind the calls around it. */
const OWN_DEFAULT =
  /\b(?:export\s+default|module\.exports\s*=)\s+(?:(?:(?:async\s+)?function\s*\*?\s*|(?:abstract\s+)?class\s+)([A-Za-z_$][\w$]*)|(?:new\s+)?(?:[\w$.]+\s*\(\s*){0,3}([A-Za-z_$][\w$]*))/g
/** Matches `exports.b = a`. */
const OWN_MEMBER = /^(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=\s*([A-Za-z_$][\w$]*)[ \t]*;?[ \t]*$/gm
const PAIR = new RegExp(`^(${ID})(?:\\s*:\\s*(${ID}))?$`, "u")

/** `local name = require "a.b"`, and `require("a.b").part`, of which a name takes one part. */
function ofLua(written: string, module: string, before: string): Statement[] {
  const [, as, part] =
    /(?:^|[\s;,])(\w+)\s*=\s*require\b ?\(? ?["'[][^"'\]]*["'\]]+ ?\)?(?:\.(\w+))?$/.exec(before + written) ??
    []
  return as === undefined ? [] : [{ module, specs: [[part ?? WHOLE, as]] }]
}

/** The table that a module of Lua returns at its end. */
function returnedTable(text: string): Placed[] {
  const match = /^return\s+(\w+)\s*;?\s*(?:--[^\n]*\s*)*$(?![\s\S])/m.exec(text)
  if (match === null) return []
  return [{ module: OWN_MODULE, isExported: true, at: match.index, specs: [[match[1]!, WHOLE]] }]
}

/** `import Shop`: every name of the module, also for `import struct Shop.Cart`. */
function ofSwift(written: string, module: string): Statement[] {
  return [{ module: module.split(".", 1)[0]!, specs: [[WHOLE, WHOLE]], isExported: written.startsWith("@_") }]
}

const OPENED = /^[ \t]*(?:using +(namespace +)?([\w:]{1,200})|namespace +(\w+) *= *([\w:]{1,200})) *;/gm

/** The namespaces of C++ that a file opens or renames, and the names that it takes from them. */
function openedNamespaces(text: string): Placed[] {
  return Array.from(text.matchAll(OPENED), ({ 1: isWhole, 2: opened = "", 3: as, 4: renamed, index: at }) => {
    const path = (renamed ?? opened).replace(/^::/, "")
    if (as !== undefined) return { module: path, at, specs: [[WHOLE, as] as const] }
    if (isWhole !== undefined) return { module: path, at, specs: [[WHOLE, WHOLE] as const] }
    const [, module = "", name = path] = /^(.*)::(\w+)$/.exec(path) ?? []
    return { module, at, specs: [[name, name] as const] }
  })
}

/** Matches `Cart = Shop::Cart`. */
const CONSTANT_ALIAS = /^[ \t]*(\p{Lu}\w*)[ \t]*=[ \t]*((?:::)?\p{Lu}\w*(?:::\p{Lu}\w*)*)[ \t]*(?:#.*)?$/gmu

/** The constants of Ruby that are other names of what a path of constants names. */
function constantAliases(text: string): Placed[] {
  return Array.from(text.matchAll(CONSTANT_ALIAS), ({ 0: all, 1: as, 2: path, index }) => {
    const at = index + all.indexOf(as!)
    return { module: OWN_MODULE, isExported: true, at, specs: [[path!.replace(/^::/, ""), as!] as const] }
  })
}

/** The names under which a module of JavaScript exports what it defines or imports. */
function ownExports(text: string): Placed[] {
  if (!/\bexport\s*(?:(?:type\s*)?\{|=|default\b)|exports\b/.test(text)) return []
  const own = { module: OWN_MODULE, isExported: true }
  const clean = (list: string) => plain(list, "js")
  return [
    ...Array.from(text.matchAll(OWN_LIST), ({ 1: list, index: at }) => {
      return { ...own, at, specs: listed(clean(list!), RENAMED) }
    }),
    ...Array.from(text.matchAll(OWN_OBJECT), ({ 1: list, index: at }) => {
      const pairs = listed(clean(list!), PAIR)
      return { ...own, at, specs: pairs.map(([as, name]): Spec => [name, as]) }
    }),
    ...Array.from(text.matchAll(OWN_WHOLE), ({ 1: name, index: at }) => {
      return { ...own, at, specs: [[name!, WHOLE] as const] }
    }),
    ...Array.from(text.matchAll(OWN_DEFAULT), ({ 1: name, 2: value, index: at }) => {
      return { ...own, at, specs: [[name ?? value!, "default"] as const] }
    }),
    ...Array.from(text.matchAll(OWN_MEMBER), ({ 1: as, 2: name, index: at }) => {
      return { ...own, at, specs: [[name!, as!] as const] }
    }),
  ]
}

function ofPython(written: string, module: string): Statement[] {
  const [, list] = /^from [.\w ]+? ?\bimport (.*)$/u.exec(written) ?? []
  if (list !== undefined) return [{ module, specs: listed(list.replace(/[()]/g, ""), PYTHON_NAME) }]
  const [, as] = new RegExp(`^[\\w. ]+ as (${ID})$`, "u").exec(written) ?? []
  return [{ module, specs: [[WHOLE, as ?? module]] }]
}

function ofGo(written: string, module: string): Statement[] {
  const [, as = ""] = /^(?:import )?([\w.]+) ?["`]/u.exec(written) ?? []
  return as === "_" ? [] : [{ module, specs: [[WHOLE, as === "." ? WHOLE : as]] }]
}

/** The paths of a tree of `use`: its module is empty, and each name is a whole path. */
function ofRust(written: string): Statement[] {
  const isExported = /^pub\b/.test(written)
  const tree = /\buse (.*?);?$/u.exec(written)?.[1] ?? /\bextern crate (.*?);?$/u.exec(written)?.[1]
  if (tree === undefined) return []
  const specs: Spec[] = []
  const prefixes: string[] = []
  let path = ""
  const add = () => {
    const [whole = "", as] = path.trim().split(" as ")
    const full = (prefixes.join("") + whole).replace(/\s/g, "").replace(/::self$/, "")
    const last = full.slice(full.lastIndexOf(":") + 1)
    if (whole !== "" && as !== "_") specs.push([full, as?.trim() ?? last])
    path = ""
  }
  for (const part of tree.match(/[{},]|[^{},]+/g) ?? []) {
    if (part === "{") {
      prefixes.push(path.trim())
      path = ""
    } else if (part === "}") {
      add()
      prefixes.pop()
    } else if (part === ",") add()
    else path += part
  }
  add()
  return [{ module: "", specs, isExported }]
}

/** `import a.b.C`, `import static a.b.C.d`, `import a.b.*`, Kotlin's `as` and Scala's groups. */
function ofJvm(written: string): Statement[] {
  const path = /^import\b ?(?:static )?(.*?);?$/u.exec(written)?.[1]
  if (path === undefined) return []
  return path.split(/,(?![^{]*\})/).flatMap((each): Statement[] => {
    const [, module, group] = /^(.*?)\.\{(.*)\}$/u.exec(each.trim()) ?? []
    if (module !== undefined)
      return [{ module, specs: listed(group!, SCALA_NAME).filter(isUsed).map(ofScala) }]
    const [, owner = "", name, as = name] =
      new RegExp(`^(?:([\\w.$]*)\\.)?(${ID}|\\*)(?: as (${ID}))?$`, "u").exec(each.trim()) ?? []
    if (name === undefined) return []
    return [{ module: owner, specs: [ofScala([name, as!])] }]
  })
}

const SCALA_NAME = new RegExp(`^(?:given )?(${ID}|\\*)(?: ?(?:=>|as) ?(${ID}))?$`, "u")

function isUsed([name, as]: Spec): boolean {
  return as !== "_" || name === "_"
}

/** In Scala 2, `_` is every name. */
function ofScala([name, as]: Spec): Spec {
  return name === "_" ? [WHOLE, WHOLE] : [name, as]
}

/** `using A.B`, `using static A.B.C` (every name of the type) and `using X = A.B.C`. */
function ofCsharp(written: string, module: string): Statement[] {
  const as = new RegExp(`\\busing (?:static |unsafe )?(${ID}) ?=`, "u").exec(written)?.[1]
  const isExported = /^global /.test(written)
  if (as === undefined) return [{ module, specs: [[WHOLE, WHOLE]], isExported }]
  const end = module.lastIndexOf(".")
  return [{ module: module.slice(0, Math.max(0, end)), specs: [[module.slice(end + 1), as]], isExported }]
}

function ofPhp(written: string, _module: string, before: string): Statement[] {
  const prefix = /\buse\s+(?:function\s+|const\s+)?\\?([\w\\]+)\\\s*\{[^{}]*$/.exec(before)?.[1]
  const [, path, as] = /^(?:function |const )?\\?([\w\\]+)(?: as (\w+))?/u.exec(written) ?? []
  if (path === undefined) return []
  const full = prefix === undefined ? path : `${prefix}\\${path}`
  const end = full.lastIndexOf("\\")
  const name = full.slice(end + 1)
  return [{ module: full.slice(0, Math.max(0, end)), specs: [[name, as ?? name]] }]
}

/** `import "a" as b show C`, `export "a" show C`, `part "a"` and `part of "a"`. */
function ofDart(written: string, module: string): Statement[] {
  if (/^part of\b/.test(written)) return [{ module, specs: [[WHOLE, PART_OF]] }]
  const isExported = /^(?:export|part)\b/.test(written)
  const as = / as (\w+)/.exec(written)?.[1]
  const shown = / show ([\w ,]+?)(?: hide\b|;|$)/.exec(written)?.[1]
  if (shown !== undefined && as === undefined)
    return [{ module, specs: listed(shown, PYTHON_NAME), isExported }]
  return [{ module, specs: [[WHOLE, as ?? WHOLE]], isExported }]
}

/**
 * `alias A.B`, `alias A.{B, C}`, `alias A.B, as: C`, `require A.B, as: C`, `import A.B, only: [f: 1]` and `use A.B`. The
 * module of an alias is the part before its last name.
 */
function ofElixir(written: string, module: string): Statement[] {
  const [, word = ""] = /^(\w+)/.exec(written) ?? []
  if (word === "use") return [{ module, specs: [[USED_MACRO, WHOLE]] }]
  if (word === "import") {
    const only = /\bonly: ?\[([^\]]*)\]/.exec(written)?.[1]
    return [{ module, specs: only === undefined ? [[WHOLE, WHOLE]] : listed(only, ELIXIR_FUNCTION) }]
  }
  const as = /\bas: ?([\w.]+)/.exec(written)?.[1]
  if (word === "require" && as === undefined) return []
  const [, outer = "", group] = /^(.*?)\. ?\{([^}]*)\}/.exec(module.replace(/\s+/g, " ")) ?? []
  const paths = group === undefined ? [module] : group.split(",").map((path) => `${outer}.${path.trim()}`)
  return paths.map((path) => {
    const end = path.lastIndexOf(".")
    const name = path.slice(end + 1)
    return { module: path.slice(0, Math.max(0, end)), specs: [[name, as ?? name]] }
  })
}

const ELIXIR_FUNCTION = /^(\w+[?!]?): \d+$/
