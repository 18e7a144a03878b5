import { rowAt, type TextLines } from "../text-lines.ts"
import { USE, type Use } from "./use-code.ts"

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
const RAZOR = `@(?!\\*|@)(?:(?:model|inject|using|inherits|implements)\\s+)?(\\(?[\\p{L}_][^<>\\n@]{0,300}|\\{(?:(?!@\\{)[\\s\\S]){0,4000}?\\n[ \\t]*\\})|\\b(?:asp-[\\w-]+|@[\\w:-]+)="([^"\\n]{1,300})"`

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
