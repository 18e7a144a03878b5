import type { Captures } from "../file/captures.ts"
import { rowAt, type TextLines } from "../text-lines.ts"
import { USE, type Use } from "./use-code.ts"
import type { TagName } from "./use-scan.ts"
import { nextCode } from "./use-values.ts"
import { BRACE, backOverSpace, COLON, COMMA, DOT, isClosing, isOpening } from "./words.ts"

/** The uses of names in the template of a component. Offsets count UTF-16 units; ranges are pairs of offsets. */
type Template = {
  /** Ranges of expressions, and of tags that are a member access (`ui.Card`). */
  readonly code: readonly number[]
  /** Ranges in which no uses are read: quoted text and comments inside expressions, and texts that bind names. */
  readonly silent: readonly number[]
  /** Offsets of names that an element or block binds. */
  readonly bound: readonly number[]
  readonly tags: readonly TagName[]
}

export const NO_TEMPLATE: Template = { code: [], silent: [], bound: [], tags: [] }

/**
 * Reads the expressions of a template, and the names that its tags and directives use and that the template itself does
 * not bind.
 */
export function readTemplate(
  { expressions, tags, bindings }: Pick<Captures, "expressions" | "tags" | "bindings">,
  text: string,
): Template {
  const code: number[] = []
  const quoted: number[] = []
  for (let at = 0; at < expressions.length; at += 2) {
    const [start, end] = [expressions[at]!, expressions[at + 1]!]
    code.push(start, end)
    addQuoted(text, start, end, quoted)
  }
  const named: TagName[] = []
  for (let at = 0; at < tags.length; at += 2) {
    const [start, end] = [tags[at]!, tags[at + 1]!]
    if (MEMBER.test(text.slice(start, end))) code.push(start, end)
    else named.push(...namesOf(text, start, end))
  }
  const bound = boundBy(bindings, text)
  const silent = [...quoted, ...bound.binding]
  return { code, silent, bound: bound.within(code), tags: bound.unbound(named) }
}

/** Matches a tag that is a member access, such as `ui.Card`. It is read like an expression in the script. */
const MEMBER = /^[\w$]+(?:\.[\w$]+)+$/

/** Adds the ranges of strings and comments; of a template string, the text between its expressions. */
function addQuoted(text: string, start: number, end: number, quoted: number[]): void {
  for (const { index, 0: found } of text.slice(start, end).matchAll(QUOTED)) {
    if (found.startsWith("`")) addBetween(found, start + index, quoted)
    else quoted.push(start + index, start + index + found.length)
  }
}

// An unclosed quote extends to the end of the text. Otherwise its end would be searched for again from each later
// quote, which takes quadratic time.
const QUOTED =
  /'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|`(?:[^`\\]|\\[\s\S])*`?|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|\/\/[^\n]*/g

function addBetween(template: string, start: number, quoted: number[]): void {
  let from = 0
  for (const { index, 0: hole } of template.matchAll(/\$\{[^{}]*\}/g)) {
    quoted.push(start + from, start + index)
    from = index + hole.length
  }
  quoted.push(start + from, start + template.length)
}

const DIRECTIVE = /^(?:use|transition|in|out|animate):([\w$]+)/
const SHORTHAND = /^(?:bind|class|style):([\w$]+)$/
const OWN = /^v-(?:if|else|else-if|for|on|bind|model|slot|show|html|text|pre|once|memo|cloak)$/

/**
 * The names by which the script defines a tag or directive: `my-card` is MyCard, `v-focus` is vFocus, `use:tip` is tip.
 */
function namesOf(text: string, at: number, end: number): TagName[] {
  const written = text.slice(at, end)
  const before = text[at - 1]
  const named = (name: string): TagName[] => [{ name, at, isCall: false }]
  const calls = (...names: string[]) => names.map((name) => ({ name, at, isCall: true }))
  if (before === "<" && written.includes("-")) return calls(pascalCase(written), written)
  if (before === "<") return /^\p{Lu}/u.test(written) ? calls(written) : []
  if (before === ":") return isSameNamed(text, at, end) ? named(camelCase(written)) : []
  const [, called] = DIRECTIVE.exec(written) ?? []
  if (called !== undefined) return calls(called)
  const [, shorthand] = text[end] === "=" ? [] : (SHORTHAND.exec(written) ?? [])
  if (shorthand !== undefined) return named(shorthand)
  return /^v-\w/.test(written) && !OWN.test(written) ? named(camelCase(written)) : []
}

const BIND = /[\s"'](?:v-bind)?:$/
const BIND_CHARS = 8

/** True if `:name` is short for `:name="name"`. After `v-slot` or `v-on`, it is the name of a slot or event instead. */
function isSameNamed(text: string, at: number, end: number): boolean {
  return /^[\s/>]/.test(text.slice(end, end + 1)) && BIND.test(text.slice(Math.max(0, at - BIND_CHARS), at))
}

/** `my-card` → `myCard` */
function camelCase(kebab: string): string {
  // The match starts only at the first dash of a sequence, so that a long sequence of dashes takes linear time.
  return kebab.replace(/(?<!-)-+(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** `my-card` → `MyCard` */
function pascalCase(kebab: string): string {
  const camel = camelCase(kebab)
  return camel.charAt(0).toUpperCase() + camel.slice(1)
}

/**
 * Which part of a text binds names: all of it (`pattern`, `let:name={…}`), the part before `in` or `of` (`loop`), the
 * part after `then` or `catch` (`await`), or the part before `=` (`const`).
 */
export type BindingKind = "pattern" | "loop" | "await" | "const" | "let"

/**
 * The text in an element or block of a page that binds names, and the scope of these names. Offsets count UTF-16 units.
 */
export type Binding = {
  readonly kind: BindingKind
  readonly start: number
  readonly end: number
  readonly scopeStart: number
  readonly scopeEnd: number
}

/** The names that elements of a template bind. Inside their scope, such a name does not refer to the script. */
type Bound = {
  /** The texts that bind names, as pairs of offsets. */
  readonly binding: readonly number[]
  /** Offsets of the names, inside these ranges of code, that an enclosing scope binds. */
  within(code: readonly number[]): number[]
  /** Those of the given names that no enclosing scope binds. */
  unbound<Named extends { readonly name: string; readonly at: number }>(named: readonly Named[]): Named[]
}

function boundBy(bindings: readonly Binding[], text: string): Bound {
  const scopes = bindings.map((binding) => ({ ...binding, ...partOf(binding, text) }))
  scopes.sort((one, other) => one.scopeStart - other.scopeStart)
  const binding = scopes.flatMap(({ from, to }) => [from, to])
  return {
    binding,
    within: (code) => (scopes.length === 0 ? [] : boundWithin(code, text, isBoundBy(scopes))),
    unbound: (named) => {
      const isBound = isBoundBy(scopes)
      return named.toSorted((one, other) => one.at - other.at).filter(({ name, at }) => !isBound(name, at))
    },
  }
}

type BindingScope = Binding & { readonly names: readonly string[] }

/**
 * Returns a function that tells whether a name is bound at an offset. It must be called with ascending offsets. Because
 * scopes are nested, a name is bound if the farthest end among its scopes that have begun is after the offset.
 */
function isBoundBy(scopes: readonly BindingScope[]): (name: string, at: number) => boolean {
  const ends = new Map<string, number>()
  let next = 0
  return (name, at) => {
    for (; next < scopes.length && scopes[next]!.scopeStart <= at; next++) {
      const { names, scopeEnd } = scopes[next]!
      for (const bound of names) ends.set(bound, Math.max(ends.get(bound) ?? 0, scopeEnd))
    }
    return (ends.get(name) ?? 0) > at
  }
}

const BINDABLE = /[\p{L}_$][\p{L}\p{N}_$]*/gu

function boundWithin(
  code: readonly number[],
  text: string,
  isBound: (name: string, at: number) => boolean,
): number[] {
  const starts = Array.from({ length: code.length / 2 }, (_, index) => index * 2)
  starts.sort((one, other) => code[one]! - code[other]!)
  const found: number[] = []
  for (const pair of starts)
    for (const { index, 0: name } of text.slice(code[pair], code[pair + 1]).matchAll(BINDABLE)) {
      const at = code[pair]! + index
      if (isBound(name, at) && !isMember(text, at, at + name.length)) found.push(at)
    }
  return found
}

/** True for the name of a member: `.name` (but not `...name`), and a key as in `{ name: `. */
function isMember(text: string, start: number, end: number): boolean {
  const before = backOverSpace(text, start)
  const last = text.charCodeAt(before - 1)
  if (last === DOT) return text.charCodeAt(before - 2) !== DOT
  return (last === BRACE || last === COMMA) && nextCode(text, end) === COLON
}

type BindingText = { readonly from: number; readonly to: number; readonly names: readonly string[] }

const LOOP = /^([\s\S]*?)\s(?:in|of)\s/
const AWAIT = /\s(?:then|catch)\s([\s\S]*)$/
const CONST = /^([^=]*)=/
const LET = /^let:([^=]*)(?:=\{?([\s\S]*?)\}?)?$/

/** The part of a binding's text that binds names, and these names. */
function partOf({ kind, start, end }: Binding, text: string): BindingText {
  const written = text.slice(start, end)
  const part = (from: number, length: number, pattern = "") => ({
    from: start + from,
    to: start + from + length,
    names: namesBound(pattern),
  })
  if (kind === "pattern") return part(0, written.length, written)
  if (kind === "let") {
    const [, own, renamed] = LET.exec(written) ?? []
    return part(0, written.length, renamed ?? own)
  }
  const patterns = { loop: LOOP, await: AWAIT, const: CONST }
  const match = patterns[kind].exec(written)
  if (match) return part(match.index, match[0].length, match[1])
  return kind === "loop" ? part(0, written.length, written) : part(0, 0)
}

const TOKEN = /[\p{L}_$][\p{L}\p{N}_$]*|=>|'[^']*'|"[^"]*"|\S/gu
const START = /^[\p{L}_$]/u

type Pattern = {
  readonly names: string[]
  readonly open: string[]
  /** Bracket depth at which a type or default value began; -1 outside of one. Names in it are not bound. */
  passed: number
  last: string
}

/**
 * The names that a pattern binds: `(item, at)`, `{ a, b: c = d, ...e }` or `row: Row, at`. The key in parentheses after
 * the pattern of a Svelte loop is not part of it.
 */
function namesBound(written: string): string[] {
  const pattern: Pattern = { names: [], open: [], passed: -1, last: "" }
  for (const { index, 0: token } of written.matchAll(TOKEN)) {
    if (token === "(" && index > 0 && pattern.open.length === 0 && pattern.passed < 0) break
    readToken(pattern, token)
  }
  return pattern.names
}

function readToken(pattern: Pattern, token: string): void {
  const { open } = pattern
  if (isOpening(token.charCodeAt(0))) open.push(token)
  else if (isClosing(token.charCodeAt(0))) open.pop()
  const isNext = token === "," && pattern.passed === open.length
  if (isNext || pattern.passed > open.length) pattern.passed = -1
  else if (pattern.passed < 0) bind(pattern, token)
}

function bind(pattern: Pattern, token: string): void {
  const { names, open, last } = pattern
  if (token === ":" && open.at(-1) === "{") {
    if (names.at(-1) === last) names.pop()
  } else if (token === ":" || token === "=") pattern.passed = open.length
  else if (START.test(token)) names.push(token)
  pattern.last = token
}

/**
 * How code is found in one kind of template. `code` matches a stretch of code; the code is the first group that took
 * part in the match. `isBare` is true if functions are called without brackets, `hasGetters` if `order.total` may call
 * `getTotal`.
 */
type TemplateKind = { readonly code: RegExp; readonly isBare: boolean; readonly hasGetters?: boolean }

/**
 * Pattern for text up to the next opening delimiter, so that an unclosed delimiter affects one stretch of text and not
 * the rest of the file.
 */
const until = (open: string) => `((?:(?!${open})[\\s\\S]){0,4000}?)`
const PERCENT = `<%(?![#%]|--)${until("<%")}%>`
const CURLY = `\\{\\{(?![!]|--|/?\\*)${until("\\{\\{")}\\}\\}|\\{%(?!-?\\s*(?:comment|trans)\\b)${until("\\{%")}%\\}`
const HASH = `#\\{([^{}\\n]{0,1000})\\}`
/**
 * Pattern for attribute values that contain code: Angular's `(click)`, `[value]` and `*ngIf`, and the attributes of Vue
 * and Alpine in pages.
 */
const BOUND = `\\s[([*@:#][\\w.\\-:[\\])(]+\\s*=\\s*(?:"([^"]{0,2000})"|'([^']{0,2000})')`
const CONTROL = `@(?:if|else if|for|switch|case|let|defer)\\b\\s*\\(?([^{}\\n]{0,500})`
/** Pattern for a row of Haml, Slim or Pug that is code, or for the code after the name of an element. */
const ROWS = `^[ \\t]*[-=~!&]{1,2}[ \\t]*(.{1,1000})$|^[ \\t]*[%.#\\w][\\w.#%-]*[^\\n=({]{0,40}[({]?([^\\n]{0,1000})$`
const RAZOR = `(?:\\basp-[\\w-]+|@[\\w:-]+)="([^"\\n]{1,300})"|@(?!\\*|@)(?:(?:model|inject|using|inherits|implements)\\s+)?(\\(?[\\p{L}_][^<>\\n@]{0,300}|\\{(?:(?!@\\{)[\\s\\S]){0,4000}?\\n[ \\t]*\\})`

const BLADE = `\\{!!${until("\\{!!")}!!\\}|@\\w+[ \\t]*\\(([^\\n@]{0,500})\\)`

const DOLLAR = "\\$\\{([^{}]{0,1000})\\}"
const FREEMARKER = "<#\\w+\\s([^<>]{0,1000}?)/?>|</?@([^<>]{0,1000}?)/?>"
const VELOCITY =
  "#(?:if|elseif|foreach|set)\\s*\\(([^\\n]{0,500})\\)|#@?([\\p{L}_]\\w*\\([^\\n]{0,300}\\))|\\$!?\\{?([\\p{L}_][\\w.]*(?:\\([^()\\n]{0,300}\\)[\\w.]*)*)"
/** Attributes of Thymeleaf, and its values in the text of a page. */
const THYMELEAF = `\\b(?:data-)?th:[\\w-]+\\s*=\\s*"([^"]{0,2000})"|\\[[[(]\\$\\{([^{}]{0,1000})\\}`

const kind = (isBare: boolean, ...code: string[]): TemplateKind => ({
  code: new RegExp(code.join("|"), "gmu"),
  isBare,
})

const ERB = kind(true, PERCENT)
const HEEX = kind(true, PERCENT, "\\{([^{}\\n]{0,1000})\\}", "</?((?:[A-Z][\\w.]*)?\\.[a-z_]\\w*)")
const JINJA = kind(true, CURLY)
const INDENTED = kind(true, HASH, ROWS)
const FTL = { ...kind(true, FREEMARKER, DOLLAR, HASH), hasGetters: true }
const VTL = { ...kind(true, VELOCITY), hasGetters: true }
const KINDS: Readonly<Record<string, TemplateKind>> = {
  erb: ERB,
  rhtml: ERB,
  ejs: kind(false, PERCENT),
  jsp: { ...kind(false, PERCENT, DOLLAR), hasGetters: true },
  jspx: { ...kind(false, DOLLAR), hasGetters: true },
  gsp: { ...kind(true, PERCENT, DOLLAR), hasGetters: true },
  xhtml: { ...kind(false, CURLY, PERCENT, BOUND, DOLLAR, HASH, THYMELEAF), hasGetters: true },
  ftl: FTL,
  ftlh: FTL,
  ftlx: FTL,
  vm: VTL,
  vtl: VTL,
  mako: kind(false, PERCENT, DOLLAR, "^[ \\t]*%[ \\t]*(?!%)(.{1,500})$"),
  eex: ERB,
  leex: ERB,
  heex: HEEX,
  haml: INDENTED,
  slim: INDENTED,
  pug: INDENTED,
  hbs: JINJA,
  handlebars: JINJA,
  mustache: JINJA,
  jinja: JINJA,
  jinja2: JINJA,
  j2: JINJA,
  twig: JINJA,
  njk: JINJA,
  liquid: JINJA,
  tmpl: JINJA,
  gotmpl: JINJA,
  tpl: kind(true, CURLY, "\\{(?=[$\\w/])([^{}\\n]{0,1000})\\}"),
  latte: kind(true, "\\{(?=[$\\w/=!])([^{}\\n]{0,1000})\\}", '\\bn:[\\w-]+="([^"\\n]{0,500})"'),
  "blade.php": kind(false, CURLY, BLADE, BOUND),
  cshtml: kind(false, RAZOR),
  razor: kind(false, RAZOR),
  "scala.html": kind(true, RAZOR),
  astro: kind(false, `^---\\r?\\n([\\s\\S]{0,100000}?)^---$`, "\\{([^{}]{0,2000})\\}", "</?([A-Z][\\w.]*)"),
}
const PAGE = kind(false, CURLY, PERCENT, BOUND, CONTROL)
const BARE_PAGE = { ...PAGE, isBare: true }
const THYMELEAF_PAGE = { ...kind(false, CURLY, BOUND, THYMELEAF), hasGetters: true }

/** Languages whose files contain text with code of any language in it. */
export const TEMPLATE_LANGUAGES: ReadonlySet<string> = new Set(["template", "astro", "html"])

/** Maximum number of names read from one file. */
const MAX_NAMES = 20_000

/** The names that the code in a template uses, ordered by line. Empty for a file of another language. */
export function embeddedNames(path: string, language: string, lines: TextLines): Use[] {
  if (language === "typescript") return inlineTemplates(lines)
  if (!TEMPLATE_LANGUAGES.has(language)) return []
  const extension = /\.(blade\.php|scala\.html|\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""
  const { text } = lines
  const found = namesInCode(
    text,
    0,
    text.length,
    KINDS[extension] ?? (language === "html" ? pageKind(text) : JINJA),
  )
  return found.map((name) => useOf(name, lines))
}

function pageKind(text: string): TemplateKind {
  if (/\bxmlns:th=|\bth:(?:text|each|if|fragment|replace|object)=/.test(text)) return THYMELEAF_PAGE
  return /\{%|\{\{-?\s*\./.test(text) ? BARE_PAGE : PAGE
}

const INLINE = /\btemplate\s*:\s*`([^`]{1,100000})`/g

/** The names used by Angular templates that are written inside the decorator of a component. */
function inlineTemplates(lines: TextLines): Use[] {
  const { text } = lines
  if (!text.includes("@Component(")) return []
  return [...text.matchAll(INLINE)].flatMap((match) => {
    const end = match.index + match[0].length - 1
    return namesInCode(text, end - match[1]!.length, end, PAGE).map((name) => useOf(name, lines))
  })
}

type EmbeddedName = { readonly name: string; readonly at: number; readonly isCall: boolean }

const NAME = /(["'`])(?:[^\\\n]|\\.)*?\1|[\p{L}_][\p{L}\p{N}_]*[?!]?(?=\s*(\()?)/gu

function namesInCode(text: string, from: number, to: number, kind: TemplateKind): EmbeddedName[] {
  const found: EmbeddedName[] = []
  const part = text.slice(from, to)
  for (const match of part.matchAll(kind.code)) {
    const stretch = match.slice(1).find((group) => group !== undefined)
    if (stretch === undefined) continue
    const start = from + match.index + match[0].indexOf(stretch)
    for (const each of namesIn(stretch, start, kind)) {
      found.push(each)
      if (found.length >= MAX_NAMES) return found
    }
  }
  return found
}

/** The names in a stretch of code that begins at `start`. */
function* namesIn(
  stretch: string,
  start: number,
  { isBare, hasGetters = false }: TemplateKind,
): Generator<EmbeddedName> {
  for (const { 0: name, 1: quote, 2: bracket, index } of stretch.matchAll(NAME)) {
    if (quote !== undefined || name.length < 2 || WORDS.has(name)) continue
    const at = start + index
    yield { name, at, isCall: isBare || bracket !== undefined }
    if (!hasGetters || bracket !== undefined || stretch[index - 1] !== ".") continue
    const capital = name[0]!.toUpperCase() + name.slice(1)
    for (const prefix of ["get", "is"]) yield { name: `${prefix}${capital}`, at, isCall: true }
  }
}

function useOf({ name, at, isCall }: EmbeddedName, lines: TextLines): Use {
  const flags = USE.template | (isCall ? USE.call : 0)
  return { name, line: rowAt(lines, at) + 1, flags, qualifier: null }
}

/** Keywords of template languages, and of the languages used in templates, which cannot be names in a project. */
const WORDS: ReadonlySet<string> = new Set(
  `if else elif elsif elseif unless for foreach in of as do end endif endfor endblock endwith each while case when switch
  block extends include load with set true false null nil none None True False not and or is let const var await async
  function return new this self range define template import export from end-if using model inject`.split(
    /\s+/,
  ),
)
