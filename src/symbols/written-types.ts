/**
 * Reads types from signatures, in the syntax of each language family: the types of results, parameters, fields and
 * tuple elements. The types are canonical texts (parse/references/written-type.ts).
 */

import {
  canonicalText,
  canonicalType,
  listOf,
  parseCanonical,
  readType,
  SIGN,
  type WrittenType,
} from "../parse/index.ts"
import type { OutlineRow } from "../store/index.ts"
import { AROUND, type FileView } from "./file-view.ts"

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/** A type that a value may have. */
export type TypeWord = {
  readonly name: string
  /** The module or outer type as written before the name, with slashes: `time` in `time.Duration`. */
  readonly qualifier: string | null
  /** True if the value is an element of this type, which is not known as a collection: an alias may tell more. */
  readonly isHolder: boolean
}

/** Where a type is written. `isOwn` is true for the name of a type that the project defines, and not as an alias. */
export type TypePlace = {
  readonly family: string
  readonly isOwn: (name: string) => boolean
  /** Name of the member of the value that is asked for. */
  readonly member?: string | undefined
}

/**
 * The types that a value of a written type may have; for an element of it, those of its elements. Type arguments are
 * no types of the value. Empty when the type is unknown; null when it allows any type.
 */
export function typesIn(text: string, isElement: boolean, place: TypePlace): readonly TypeWord[] | null {
  const words = new Map<string, TypeWord>()
  return addTypes(parseCanonical(text), isElement, place, words) ? [...words.values()] : null
}

/** Adds the types of a value to `words`; false when it may have any type. */
function addTypes(
  type: WrittenType,
  isElement: boolean,
  place: TypePlace,
  words: Map<string, TypeWord>,
): boolean {
  const { name, qualifier, args } = type
  const inner = lookedThrough(type, isElement, place)
  if (inner !== null)
    return inner.every((each) => addTypes(each, isElement && name !== SIGN.tuple, place, words))
  if (NO_TYPES.has(name)) return true
  const isOwn = place.isOwn(name)
  if (!isOwn && ANYTHING.has(name)) return false
  const element = isElement ? elementOf(name, args) : undefined
  if (element !== undefined) return addTypes(element, isNested(element, place), place, words)
  const word = name === SIGN.list || name === SIGN.tuple ? LIST : name
  const isHolder = (isElement && place.family !== "c") || (!isOwn && isParameterName(name))
  words.set(`${qualifier} ${word}`, { name: word, qualifier, isHolder })
  return true
}

/** The types that a union, a wrapper or an indexed tuple stands for; null for other types. */
function lookedThrough(
  { name, args }: WrittenType,
  isElement: boolean,
  place: TypePlace,
): readonly WrittenType[] | null {
  if (name === SIGN.union || (name === SIGN.tuple && isElement)) return args
  const wrapped = args.length === 0 ? undefined : WRAPPERS[place.family]?.get(name)
  if (wrapped === undefined || place.isOwn(name)) return null
  if (place.member !== undefined && isMemberOfWrapper(name, place.member, place.family)) return null
  return wrapped === null ? args : args.slice(wrapped, wrapped + 1)
}

/** The canonical text of the type in a wrapper; the text itself if its type is none. */
export function unwrapped(text: string, place: TypePlace): string {
  const inner = lookedThrough(parseCanonical(text), false, { ...place, member: undefined })
  return inner?.length === 1 ? canonicalText(inner[0]!) : text
}

/** True if a wrapper of the family may have a member of this name itself. */
export function isWrapperMember(name: string, family: string): boolean {
  return WRAPPER_MEMBERS[family]?.has(name) ?? false
}

function isMemberOfWrapper(wrapper: string, member: string, family: string): boolean {
  // In Java, no member of the inner type is reached without a call of the wrapper.
  if (family === "jvm") return true
  return DEREFERENCED.has(wrapper) ? member === "clone" : isWrapperMember(member, family)
}

/** Wrappers of Rust whose values have the members of the inner type. */
const DEREFERENCED = words(
  "Arc Rc Box Cow Pin Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard LazyLock LazyCell",
)
const WRAPPER_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  js: words("then catch finally"),
  rust: words(`unwrap expect map map_err and_then or or_else unwrap_or unwrap_or_else unwrap_or_default ok err is_some is_none
    is_ok is_err take replace as_ref as_mut as_deref iter filter flatten zip insert get_or_insert_with cloned copied ok_or
    ok_or_else lock try_lock read write borrow borrow_mut clone get set`),
  c: words("get reset release swap use_count lock value has_value value_or expired"),
  csharp: words(
    "Result ContinueWith Wait ConfigureAwait GetAwaiter Status IsCompleted Exception Value HasValue",
  ),
  swift: words("map flatMap"),
  dart: words("then catchError whenComplete timeout"),
}

/** The type of the elements of a collection; undefined for a type without arguments. */
function elementOf(name: string, args: readonly WrittenType[]): WrittenType | undefined {
  return args.length > 1 && (name === SIGN.list || KEYED.test(name)) ? args[1] : args[0]
}

/** True if an element is a collection itself: a loop over such a value ends at its innermost elements. */
function isNested({ name, args }: WrittenType, { family, isOwn }: TypePlace): boolean {
  return name === SIGN.list || (args.length > 0 && COLLECTIONS[family]?.has(name) === true && !isOwn(name))
}

/** True for a collection, such as a list. */
export function isCollection(text: string, { family, isOwn }: TypePlace): boolean {
  const type = parseCanonical(text)
  const arms = type.name === SIGN.union ? type.args : [type]
  return arms.some(
    ({ name }) =>
      name === SIGN.list || name === SIGN.tuple || (COLLECTIONS[family]?.has(name) === true && !isOwn(name)),
  )
}

/** The name of a list that is written with signs, such as `[]Store`. */
const LIST = "Array"
const KEYED = /map|dict|record|lookup|^Entry$/i

/** True for the usual names of type parameters, whose types are unknown unless a bound of them is. */
function isParameterName(name: string): boolean {
  return /^(?:[A-Z]\d?|T[A-Z]\w*)$/.test(name)
}

const ANYTHING = words("any unknown object Object never Any mixed dynamic")
const NO_TYPES = words(`${SIGN.function} null undefined None void nil Nothing NoneType`).union(new Set([""]))

/** Names of collections in the libraries of each language family. */
const COLLECTIONS: Readonly<Record<string, ReadonlySet<string>>> = {
  js: words(`Array ReadonlyArray Map ReadonlyMap Set ReadonlySet WeakMap WeakSet Record Iterable Iterator IterableIterator
    Generator AsyncGenerator AsyncIterable AsyncIterator AsyncIterableIterator ArrayLike List Dict`),
  go: words("chan"),
  python:
    words(`list List dict Dict set Set frozenset FrozenSet tuple Tuple Sequence MutableSequence Iterable Iterator
    Collection Mapping MutableMapping defaultdict DefaultDict OrderedDict deque Deque AsyncIterator AsyncIterable Generator
    AsyncGenerator KeysView ValuesView`),
  jvm: words(`List ArrayList LinkedList CopyOnWriteArrayList Collection Set HashSet LinkedHashSet TreeSet SortedSet Map HashMap
    LinkedHashMap TreeMap SortedMap ConcurrentMap ConcurrentHashMap Iterable Iterator Queue Deque ArrayDeque PriorityQueue
    Array Sequence MutableList MutableMap MutableSet MutableCollection Stream Seq Vector IndexedSeq Entry Flow`),
  rust: words(
    "Vec VecDeque HashMap BTreeMap HashSet BTreeSet IndexMap Iterator IntoIterator BinaryHeap SmallVec",
  ),
  c: words(`vector list deque map unordered_map multimap set unordered_set multiset array span initializer_list queue stack
    priority_queue`),
  csharp: words(`List IList IEnumerable IReadOnlyList ICollection IReadOnlyCollection Dictionary IDictionary
    IReadOnlyDictionary ConcurrentDictionary HashSet ISet Queue Stack ConcurrentBag ConcurrentQueue ImmutableList
    ImmutableArray ImmutableDictionary IAsyncEnumerable Span ReadOnlySpan Memory ILookup IGrouping IQueryable
    ObservableCollection`),
  swift: words("Array Set Dictionary ArraySlice"),
  php: words("array iterable Generator Iterator Traversable"),
  dart: words("List Map Set Iterable Stream"),
}

function wrappers(
  first: string,
  others: Readonly<Record<string, number | null>> = {},
): Map<string, number | null> {
  return new Map([
    ...Array.from(words(first), (name): [string, number] => [name, 0]),
    ...Object.entries(others),
  ])
}

/**
 * Types of libraries through which the members of another type are reached, each with the position of that type among
 * its type arguments; null if all of them are meant.
 */
const WRAPPERS: Readonly<Record<string, ReadonlyMap<string, number | null>>> = {
  js: wrappers("Promise PromiseLike Awaited Readonly Partial Required NonNullable Pick Omit Exclude Extract"),
  python: wrappers(
    `Optional Annotated ClassVar Final Required NotRequired ReadOnly InitVar Awaitable Type type AbstractContextManager
    ContextManager AsyncContextManager AbstractAsyncContextManager Mapped`,
    { Union: null, Coroutine: 2 },
  ),
  jvm: wrappers(
    `Optional Supplier Provider Lazy ObjectProvider CompletableFuture CompletionStage Future AtomicReference WeakReference
    SoftReference ThreadLocal Deferred Option Some Try`,
  ),
  rust: wrappers(
    `Option Result Arc Rc Box Mutex RwLock RefCell Cell Pin Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard OnceCell
    OnceLock LazyLock LazyCell Cow`,
  ),
  c: wrappers("unique_ptr shared_ptr weak_ptr optional reference_wrapper"),
  csharp: wrappers("Task ValueTask Nullable Lazy"),
  swift: wrappers("Optional"),
  dart: wrappers("Future FutureOr"),
}

/** The canonical text of the result type of a function, from its signature; null when there is none. */
export function resultIn(signature: string, name: string, family: string): string | null {
  const written = functionIn(signature)
  if (written !== null) return canonicalText(written.args[0]!)
  const list = parameterList(signature, name)
  const sign = BEFORE_RESULT[family]
  if (sign !== undefined) {
    const from = list?.end ?? nameEnd(signature, name)
    sign.lastIndex = from
    if (from >= 0 && from < signature.length && sign.test(signature))
      return nonEmpty(canonicalText(readType(signature, sign.lastIndex, family).type))
  }
  return list !== null && TYPE_FIRST.test(family) ? typeBefore(signature, name, family, true) : null
}

function nonEmpty(text: string): string | null {
  return text === "" ? null : text
}

/** The function among the types of a canonical text; null when there is none. */
function functionIn(text: string): WrittenType | null {
  if (!text.includes(`${SIGN.function}<`)) return null
  const type = parseCanonical(text)
  return (type.name === SIGN.union ? type.args : [type]).find(({ name }) => name === SIGN.function) ?? null
}

/** Matches what a family writes between the parameters and the result. */
const BEFORE_RESULT: Readonly<Record<string, RegExp>> = {
  js: /\s*(?::|=>)\s*/y,
  python: /\s*->\s*/y,
  rust: /\s*->\s*/y,
  swift: /[\s\w()]*->\s*/y,
  php: /\s*:\s*/y,
  jvm: /(?:\s*\([^()]*\))*\s*:\s*/y,
  go: /\s*(?=[^\s{])/y,
  c: /[\s\w]*->\s*/y,
}
const TYPE_FIRST = /^(?:jvm|c|csharp|dart|php)$/

/** The type at the beginning of a signature, after type parameters and before the name; null when there is none. */
function typeBefore(signature: string, name: string, family: string, isFunction: boolean): string | null {
  const from = /^(?:(?:[\w\s]*\s)?<[^()]*?>\s+|template\s*<[^()]*?>\s*)?/.exec(signature)![0].length
  const { type, end } = readType(signature, from, family)
  const rest = new RegExp(
    `^[\\s*&]*(\\.{3})?\\s*(?:[\\w~<>]+(?:::|\\.))*\\$?${RegExp.escape(name)}(?![\\w$])${isFunction ? "" : "(?!\\s*[(])"}`,
  ).exec(signature.slice(end))
  if (rest === null || end === from) return null
  return nonEmpty(canonicalText(rest[1] === undefined ? type : listOf(type)))
}

/** The canonical text of the type of a parameter, from a function's signature or a function type; null when there is none. */
export function parameterIn(signature: string, index: number, family: string): string | null {
  const written = functionIn(signature)
  if (written !== null) return nonEmpty(canonicalText(written.args[index + 1] ?? parseCanonical("")))
  const list = parameterList(signature, null)
  if (list === null) return null
  const parameter = topLevel(signature.slice(list.start + 1, list.end - 1), 44)[index]
  const type = parameter === undefined ? undefined : topLevel(parameter, 58, 1)[1]
  return type === undefined ? null : nonEmpty(canonicalType(type, family))
}

type Range = { readonly start: number; readonly end: number }

/**
 * Offsets of the parameter list after a name, or of the first one when `name` is null or does not occur before one; null
 * when there is none. In a shortened signature it may end at the end of the text.
 */
function parameterList(signature: string, name: string | null): Range | null {
  const named =
    name === null ? null : new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?=\\s*[(<[])`).exec(signature)
  const from = named === null ? 0 : named.index + named[0].length
  let depth = 0
  let start = -1
  for (let at = from; at < signature.length; at++) {
    const char = signature[at]!
    if (start < 0 && char === "(" && depth === 0) start = at
    if (isStart(signature, at)) depth++
    else if (isEnd(signature, at) && --depth === 0 && start >= 0) return { start, end: at + 1 }
  }
  return start < 0 ? null : { start, end: signature.length }
}

/**
 * The numbers of parameters and results of a Go method, as "2:1"; null if its signature is incomplete. Methods of one
 * name with different numbers cannot implement each other.
 */
export function goArity(signature: string, name: string): string | null {
  const list = parameterList(signature, name)
  const results = list === null ? "" : signature.slice(list.end).trim()
  if (list === null || signature[list.end - 1] !== ")" || /^\([^)]*$/.test(results)) return null
  const counted = [signature.slice(list.start + 1, list.end - 1), results.replace(/^\(([\s\S]*)\)$/, "$1")]
  return counted.map((text) => topLevel(text, 44).filter((part) => part.trim() !== "").length).join(":")
}

/** Offset after the name of a definition without parameters; -1 when the signature does not contain it. */
function nameEnd(signature: string, name: string): number {
  const at = name === "" ? -1 : signature.lastIndexOf(name)
  return at < 0 ? -1 : at + name.length
}

/** True for an opening bracket; Go's `<-chan` has none. */
function isStart(text: string, at: number): boolean {
  return "([{".includes(text[at]!) || (text[at] === "<" && text[at + 1] !== "-")
}

function isEnd(text: string, at: number): boolean {
  const char = text[at]!
  return ")]}".includes(char) || (char === ">" && text[at - 1] !== "=" && text[at - 1] !== "-")
}

/** Splits the text at each occurrence of a character code that is outside of brackets; at most `limit` splits. */
function topLevel(text: string, code: number, limit = 100): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length && parts.length < limit; at++) {
    if (isStart(text, at)) depth++
    else if (isEnd(text, at)) depth--
    else if (depth === 0 && text.charCodeAt(at) === code && text[at + 1] !== ">") {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}

/**
 * The canonical text of the type that a signature declares for a name: for one of its parameters, or for the field that
 * the signature is of. Null when there is none.
 */
export function typeIn(signature: string, name: string, family: string): string | null {
  if (!signature.includes(name)) return null
  const own = declaredIn([signature], 0, name, family)
  if (own !== null) return own
  const list = parameterList(signature, null)
  for (let at: Range | null = list, rest = 0; at !== null; ) {
    const entries = topLevel(signature.slice(rest + at.start + 1, rest + at.end - 1), 44)
    for (let entry = 0; entry < entries.length; entry++) {
      const type = declaredIn(entries, entry, name, family)
      if (type !== null) return type
    }
    rest += at.end
    at = parameterList(signature.slice(rest), null)
  }
  return null
}

/** The type of a name in one entry of a list of parameters, or in the signature of a field. */
function declaredIn(entries: readonly string[], at: number, name: string, family: string): string | null {
  const entry = entries[at]!
  const escaped = RegExp.escape(name)
  if (COLON_TYPED.test(family)) {
    const sign = new RegExp(
      `^\\s*(?:["'@#\\w.]+(?:\\([^()]*\\))?\\s+)*(\\*{0,2})["']?${escaped}["']?[?!]?\\s*:(?!:)\\s*`,
    ).exec(entry)
    if (sign !== null) {
      const { type } = readType(entry, sign[0].length, family)
      const isMany = sign[1] !== "" || /\bvararg\s/.test(sign[0])
      return nonEmpty(canonicalText(isMany ? listOf(type) : type))
    }
    if (family !== "jvm") return null
  }
  if (family === "go") return goTypeIn(entries, at, escaped)
  // In C's `Store *a, *b`, the type is in the first entry.
  return typeBefore(entry, name, family, false)
}

const COLON_TYPED = /^(?:js|python|rust|swift|jvm)$/

/** In Go's `a, b *Store`, all names have the type after the last one. */
function goTypeIn(entries: readonly string[], at: number, name: string): string | null {
  const parts = topLevel(entries.slice(at).join(","), 44)
  const named = new RegExp(`^\\s*${name}(?!\\w)`)
  const first = parts.findIndex((part) => named.test(part))
  for (const part of first < 0 ? [] : parts.slice(first)) {
    const head = /^\s*\w+\s+(?=\S)/.exec(part)?.[0]
    if (head !== undefined) return nonEmpty(canonicalText(readType(part, head.length, "go").type))
  }
  return null
}

/** The canonical text of the type of the nth element of a tuple; null if it has none; undefined if the type is no tuple. */
export function tuplePart(text: string, at: number): string | null | undefined {
  const { name, args } = parseCanonical(text)
  if (name !== SIGN.tuple && !/^(?:tuple|pair|Pair|Triple|\w*Tuple\w*)$/.test(name)) return undefined
  const part = args[at]
  return part === undefined ? null : nonEmpty(canonicalText(part))
}

/**
 * The canonical text of a part of an element: of its key or its value for a collection with keys, of an element of a
 * tuple. Undefined when the element has no parts.
 */
export function elementPart(text: string, at: number): string | undefined {
  const { name, args } = parseCanonical(text)
  if (args.length === 2 && (name === SIGN.list || KEYED.test(name)))
    return canonicalText(args[at] ?? args[1]!)
  const element = args[0] === undefined ? undefined : tuplePart(canonicalText(args[0]), at)
  // The index of an element has no type of the project.
  return element ?? (name === SIGN.list && at === 0 ? "" : undefined)
}

/** Offset of a definition's value in its signature; -1 when there is none. */
export function valueStart(signature: string): number {
  const sign = /[^=!<>]=(?![=>])\s*|\bby\s+lazy\s*(?:\([^()]*\)\s*)?\{\s*/.exec(signature)
  return sign === null ? -1 : sign.index + sign[0].length
}

/** The canonical text of the type that an alias refers to; null when the signature is no alias. */
export function aliasedType(signature: string, family: string): string | null {
  const value = /[^=!<>]=(?!=)\s*(?=\S)/.exec(signature)
  if (value === null)
    return /^type\s+\w+\s+(?!struct|interface)/.test(signature) && family === "go"
      ? goAliased(signature)
      : null
  const text = signature.slice(value.index + value[0].length).replace(/;$/, "")
  const bound = /^(?:typing\.)?TypeVar\(.*\bbound\s*=\s*(.*)\)$/.exec(text)?.[1] ?? text
  const { type, end } = readType(bound, 0, family)
  // In Python, an alias looks like a variable: a call or another value is no type.
  return family === "python" && end < bound.length ? null : nonEmpty(canonicalText(type))
}

function goAliased(signature: string): string | null {
  const head = /^type\s+\w+(?:\[[^\]]*\])?\s+/.exec(signature)![0]
  return nonEmpty(canonicalType(signature.slice(head.length), "go"))
}

/**
 * The canonical text with type parameters that are in scope on a line replaced by their bounds, `Self` by the enclosing
 * type, and aliases of imports by what they are called where they are defined. A type parameter without a bound is unknown.
 */
export function typeAt(text: string, line: number, file: FileView): string {
  const { outline } = file
  const bounds = new Map<string, string>()
  let around = outline.innermost(line, AROUND.typeOrMember | AROUND.function)
  for (let out = 0; around >= 0 && out < 4; out++) {
    const row = outline.at(around)
    for (const [name, bound] of boundsOf(row, file)) if (!bounds.has(name)) bounds.set(name, bound)
    around = outline.innermost(row.startLine - 1, AROUND.typeOrMember | AROUND.function, row.endLine)
  }
  const self = SELF_WORD.test(text) ? outline.enclosingType(line) : null
  return canonicalText(substituted(parseCanonical(text), { bounds, self, file }))
}

const SELF_WORD = /(?:^|[<;|])(?:Self|self|static|this)(?![\w/])/

/** The canonical text with `Self` replaced by a type. */
export function withSelf(text: string, self: string): string {
  return SELF_WORD.test(text)
    ? canonicalText(substituted(parseCanonical(text), { bounds: NO_BOUNDS, self, file: null }))
    : text
}

type Scope = {
  readonly bounds: ReadonlyMap<string, string>
  readonly self: string | null
  readonly file: FileView | null
}

function substituted(type: WrittenType, scope: Scope): WrittenType {
  const { name, qualifier } = type
  const { bounds, self, file } = scope
  const args = type.args.map((arg) => substituted(arg, scope))
  if (qualifier !== null) return { ...type, args }
  if (self !== null && SELF_WORD.test(name)) return { ...type, name: self, args }
  const bound = args.length === 0 ? bounds.get(name) : undefined
  if (bound !== undefined) return parseCanonical(bound)
  return { ...type, name: file?.importedName(name) ?? name, args }
}

const NO_BOUNDS: ReadonlyMap<string, string> = new Map()
const KNOWN_BOUNDS = new WeakMap<OutlineRow, ReadonlyMap<string, string>>()

function boundsOf(row: OutlineRow, file: FileView): ReadonlyMap<string, string> {
  let known = KNOWN_BOUNDS.get(row)
  if (known === undefined) {
    known = boundsIn(file.outline.signatureOf(row) ?? "", row.name, file.family)
    KNOWN_BOUNDS.set(row, known)
  }
  return known
}

/** The type parameters of a signature with the canonical texts of their bounds; "" for those without a bound. */
function boundsIn(signature: string, name: string, family: string): ReadonlyMap<string, string> {
  const escaped = RegExp.escape(name)
  const opening = new RegExp(
    `(?:(?<![\\w$])${escaped}\\s*|^(?:(?:public|private|protected|static|final|abstract|fun|default|synchronized|inline|suspend|override|internal|template)\\s*)*)([<[])`,
  ).exec(signature)
  if (opening === null || (opening[1] === "[" && !HAS_SQUARE_PARAMETERS.test(family))) return NO_BOUNDS
  const from = opening.index + opening[0].length - 1
  const end = closingOf(signature, from)
  const bounds = new Map(
    topLevel(signature.slice(from + 1, end), 44).flatMap((entry) => boundIn(entry, family)),
  )
  const where = /\bwhere\s+(.*)$/.exec(signature.slice(end))?.[1] ?? ""
  for (const clause of topLevel(where.replace(/\bwhere\b/g, ","), 44)) {
    const [head, named] = /^\s*(\w+)\s*:\s*/.exec(clause) ?? []
    if (head !== undefined && bounds.has(named!))
      bounds.set(named!, canonicalType(clause.slice(head.length), family))
  }
  return bounds
}

/** A type parameter and its bound. */
function boundIn(entry: string, family: string): [name: string, bound: string][] {
  const [head, name, sign] = BOUND.exec(entry) ?? []
  if (head === undefined) return []
  return [[name!, sign === "" || sign === "=" ? "" : canonicalType(entry.slice(head.length), family)]]
}

const HAS_SQUARE_PARAMETERS = /^(?:go|jvm|python)$/
/** Matches a type parameter and the sign before its bound. */
const BOUND = /^\s*(?:(?:in|out|const|reified|typename|class)\s+)?[+-]?(\w+)\s*(\bextends\b|<:|:|=|)\s*/

function closingOf(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (isStart(text, at)) depth++
    else if (isEnd(text, at) && --depth === 0) return at
  }
  return text.length
}
