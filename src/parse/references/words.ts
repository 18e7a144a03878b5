/** Codes of single characters. */
export const [BANG, HASH, AND, PAREN, STAR, COMMA, DOT, COLON] = [33, 35, 38, 40, 42, 44, 46, 58]
export const [ANGLE, EQUALS, GREATER, QUESTION, BRACKET] = [60, 61, 62, 63, 91]
export const [BACKSLASH, BRACE, PIPE, CLOSING_BRACE] = [92, 123, 124, 125]

/** Offset of the end of the run of name characters that begins at `start`. */
export function codesEnd(text: string, start: number, hasDollars: boolean): number {
  let end = start + 1
  while (end < text.length && isNameCode(text.charCodeAt(end), hasDollars)) end++
  return end
}

/** Languages in which "$" counts as a letter, and "#" may begin a name. */
export const DOLLARS: ReadonlySet<string> = new Set("javascript typescript tsx vue svelte html".split(" "))

/** Languages in which a "-" between a name and a letter is part of the name: Get-Order, shop-rate. */
export const HYPHENS: ReadonlySet<string> = new Set(["clojure", "emacs-lisp", "fish", "nix", "powershell"])

/** True for letters, digits, "_" and every character beyond ASCII. */
export function isNameCode(code: number, hasDollars: boolean): boolean {
  return code > 127 || KINDS[code] === NAME || (hasDollars && code === 36)
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

export function isOpening(code: number): boolean {
  return KINDS[code] === OPENING
}

export function isClosing(code: number): boolean {
  return KINDS[code] === CLOSING
}

const [NAME, OPENING, CLOSING] = [1, 2, 3]
/**
 * Kind of each ASCII character. This is a table, because every character of every file is looked up, and comparisons
 * are slower.
 */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/\w/.test(char)) return NAME
  if ("([{".includes(char)) return OPENING
  return ")]}".includes(char) ? CLOSING : 0
})

export function backOverSpace(text: string, from: number): number {
  let at = from
  while (at > 0 && text.charCodeAt(at - 1) <= 32) at--
  return at
}

/** Words that cannot be the name of anything in a language, so they are never recorded as uses. */
export function reservedWords(language: string): ReadonlySet<string> {
  let words = sets.get(language)
  if (!words) {
    words = new Set(`${COMMON} ${WORDS[FAMILY[language] ?? language] ?? ""}`.trim().split(/\s+/))
    sets.set(language, words)
  }
  return words
}

/** True for a word that is reserved only if a name follows it: `mutable struct`, `error Empty()`. */
export function mayBeName(language: string, word: string): boolean {
  return CONTEXTUAL[language]?.has(word) ?? false
}

const CONTEXTUAL: Readonly<Record<string, ReadonlySet<string>>> = {
  julia: new Set(["type", "mutable", "abstract", "primitive"]),
  solidity: new Set(["error"]),
}

const sets = new Map<string, ReadonlySet<string>>()

const COMMON = "if else for while return break continue"

const FAMILY: Readonly<Record<string, string>> = {
  typescript: "javascript",
  tsx: "javascript",
  vue: "javascript",
  svelte: "javascript",
  html: "javascript",
  cpp: "c",
  "objective-c": "c",
}

const WORDS: Readonly<Record<string, string>> = {
  javascript: `const let var function class extends implements interface new delete try catch finally throw switch case
    default do import export as in instanceof typeof void yield await async public private protected readonly static
    true false null undefined this super string number boolean any unknown never`,
  python: `def class lambda import from as in is and or not pass raise try except finally with yield async await global
    nonlocal assert del elif None True False self cls`,
  go: `func type struct interface map chan package import var const range go defer select switch case default
    fallthrough goto nil true false string int int64 bool byte error`,
  java: `class interface enum extends implements new try catch finally throw throws switch case default do import package
    public private protected static final abstract synchronized volatile transient native void int long short byte char
    float double boolean instanceof assert true false null this super`,
  scala: `def val var class object trait extends with new import package private protected override final abstract sealed
    implicit lazy case match catch try finally throw do yield type enum given then this super true false null`,
  rust: `fn let mut pub use mod struct enum impl trait match loop move ref where as in dyn unsafe const static type crate
    extern async await true false self Self super str u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool f32 f64`,
  c: `int long short char float double void unsigned signed struct union enum typedef static extern const volatile
    register inline sizeof switch case default do goto class public private protected virtual override template typename
    namespace using new delete try catch throw operator friend auto constexpr noexcept bool true false nullptr NULL this
    explicit define ifdef ifndef endif include elif undef`,
  csharp: `class struct interface enum record namespace using new public private protected internal static readonly const
    abstract virtual override sealed partial void int long short byte char float double decimal bool string object var
    try catch finally throw switch case default do foreach in is as out ref params async await true false null this base
    where get set typeof nameof`,
  ruby: `def end class module do then elsif unless until begin rescue ensure raise yield self super nil true false and or
    not in when case require require_relative attr_reader attr_accessor attr_writer`,
  php: `function class interface trait enum extends implements new public private protected static final abstract const
    use namespace echo foreach as try catch finally throw switch case default do elseif instanceof array string int bool
    float void null true false self parent this fn match`,
  kotlin: `fun val var class interface object enum typealias import package as in is by when do try catch finally throw
    abstract override private public protected internal final sealed inline suspend infix tailrec external const lateinit
    vararg companion constructor reified crossinline noinline null true false this super`,
  swift: `func let var class struct enum protocol extension typealias associatedtype import as in is guard switch case do
    defer repeat throw throws rethrows try catch where inout static public private fileprivate internal final override
    mutating nonmutating lazy weak unowned required convenience indirect fallthrough await nil true false self Self super`,
  elixir: `def defp defmodule defmacro defmacrop defprotocol defimpl defstruct defdelegate defguard defexception do end fn
    when cond case with receive after rescue catch try raise unless quote unquote alias import use require and or not in
    nil true false`,
  julia: `module baremodule function macro struct mutable abstract primitive type begin let do end try catch finally quote
    const global local using import export where in isa nothing true false`,
  "emacs-lisp": `defun defmacro defsubst defvar defconst defcustom defgroup defface lambda let cond progn prog1 setq when
    unless and or not nil quote function interactive save-excursion condition-case unwind-protect require provide`,
  erlang: `when case of end fun receive after begin try catch maybe and or not andalso orelse div rem band bor bxor bnot bsl
    bsr xor true false undefined ok error`,
  fsharp: `let rec and in fun function match with then elif module namespace open type of mutable member static abstract
    override default interface inherit new do done to downto yield try finally raise use lazy not as when inline private
    public internal val begin end true false null this base int string bool float unit`,
  gleam: `fn let pub case import type const as use assert panic todo opaque external if try True False Nil Int Float String
    Bool`,
  nix: `let in with rec inherit then assert or import true false null builtins`,
  perl: `sub my our local use no package require elsif unless until foreach last next redo and or not eq ne lt gt le ge cmp
    qw undef shift push pop defined ref bless die print scalar keys values exists delete return wantarray self`,
  powershell: `function filter param begin process end elseif foreach switch default do until in try catch finally throw
    trap class enum using true false null`,
  rescript: `let rec and open include module type external exception switch when as mutable of true false unit int string bool
    float array option async await`,
  verilog: `module endmodule package endpackage interface endinterface class endclass function endfunction task endtask begin
    end always always_ff always_comb always_latch initial assign input output inout logic wire reg int integer bit byte
    parameter localparam typedef enum struct packed case endcase default posedge negedge generate endgenerate genvar import
    extends new virtual automatic static local protected signed unsigned`,
  solidity: `contract interface library struct enum event error modifier function constructor returns mapping pragma import is
    public private internal external view pure payable virtual override memory storage calldata immutable constant new
    emit revert require assert using uint uint256 int int256 address bool string bytes bytes32 true false this super`,
  lua: `local function end then elseif do repeat until in and or not nil true false self goto require`,
  dart: `class mixin extension enum typedef extends implements with import export as in is new const final var late static
    abstract factory external required covariant switch case default do try catch finally throw rethrow await yield assert
    void int double num bool dynamic null true false this super`,
}

/** Names of members that so many libraries have that they say nothing about the type. */
export const COMMON_MEMBERS: ReadonlySet<string> = new Set(
  `map filter forEach find some every reduce push pop shift slice splice join split get set has add delete clear keys
  values entries length size name value type id data key index then catch finally toString valueOf includes indexOf
  concat sort reverse trim replace match test exec close open read write append extend insert remove update items copy
  count format equals hashCode clone iter next into from unwrap len is_empty as_ref to_string collect each first last
  message code path text start end line print println log error info warn debug apply call bind run`.split(
    /\s+/,
  ),
)
