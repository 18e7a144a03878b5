/**
 * Finds credentials in texts, before anything is stored or shown. Three methods, in order: formats that only one issuer
 * uses (credential-kinds.ts); a random value after the name of a secret (`byName`); a password stated in plain words
 * (stated-secret.ts). Values that are placeholders, code, identifiers or descriptions are not reported. For files whose
 * names suggest secrets, weaker conditions apply (`holdsCredential`).
 */

import { AmanError } from "../../base/index.ts"
import { CREDENTIAL_KINDS } from "./credential-kinds.ts"
import { findStatedSecret, spellings } from "./stated-secret.ts"

type FoundCredential = {
  /** Description of the credential, such as "a GitHub token". */
  readonly kind: string
  /** 1-based. */
  readonly line: number
}

/** The first credential in a text; null if there is none. */
export function findCredential(text: string): FoundCredential | null {
  const found = matchIn(text)
  return found === null ? null : { kind: found.kind, line: found.text.slice(0, found.at).split("\n").length }
}

/** The text with `***` in place of each credential; letters that were written in disguise then have their usual form. */
export function maskCredentials(text: string): string {
  let masked = text
  for (let count = 0; count < MAX_MASKED; count++) {
    const found = matchIn(masked)
    if (found === null) return masked
    masked = `${found.text.slice(0, found.at)}***${found.text.slice(found.end)}`
  }
  return "***"
}

/** A text with more credentials is hidden as a whole. */
const MAX_MASKED = 50

/** The first credential in one of the spellings of the text, with the spelling that contains it. */
function matchIn(text: string): (CredentialMatch & { readonly text: string }) | null {
  for (const spelling of spellings(text)) {
    const found =
      byShape(spelling) ?? byName(spelling) ?? byRandomness(spelling) ?? statedCredential(spelling)
    if (found !== null) return { ...found, text: spelling }
  }
  return null
}

/**
 * The first credential in data; null if there is none. Names and values are checked as `name: value`, other texts as
 * they are. The data is not checked as JSON, because in JSON a token at the start of a line would follow the "n" of an
 * escaped line feed and look like part of that word.
 */
export function findCredentialIn(data: unknown): FoundCredential | null {
  const lines: string[] = []
  collectLines(data, "", lines)
  return findCredential(lines.join("\n"))
}

function collectLines(data: unknown, name: string, lines: string[]): void {
  if (Array.isArray(data)) for (const value of data) collectLines(value, name, lines)
  else if (typeof data === "object" && data !== null)
    for (const [key, value] of Object.entries(data)) collectLines(value, key, lines)
  else if (typeof data === "string") lines.push(name === "" ? data : `${name}: ${data}`)
}

/**
 * Throws CREDENTIAL if the text contains a credential. The error says what kind was found and where, but never the
 * value. `n` is the number of the entry; `part` names the field, if the field has only one line.
 */
export function refuseCredential(text: string, n?: number, part?: string): void {
  throwIfFound(findCredential(text), n, part)
}

/** Like `refuseCredential`, for data, which has no line numbers. */
export function refuseCredentialIn(data: unknown, n: number | undefined, part: string): void {
  throwIfFound(findCredentialIn(data), n, part)
}

/** The error for a credential. It is thrown before anything is stored. */
export class CredentialError extends AmanError {
  /**
   * What was found, for example "the topic looks like a GitHub token". The field is named unless it is the text of the
   * entry.
   */
  readonly finding: string

  constructor(kind: string, place: string, part: string | undefined) {
    super("CREDENTIAL", `${place} looks like ${kind}, so nothing was stored`, {
      hint: "store where it is kept instead, put it in <private>…</private>, or store it anyway with --force",
    })
    this.finding = `${part === undefined ? "" : `${part} `}looks like ${kind}`
  }
}

function throwIfFound(found: FoundCredential | null, n: number | undefined, part: string | undefined): void {
  if (found === null) return
  const line = part ?? `line ${found.line}`
  const place = n === undefined ? line : `entry ${n}, ${line}`
  throw new CredentialError(found.kind, place, part)
}

/**
 * True if the text of a file whose name is unclear (`mayHoldSecrets`) contains a credential. Such a file contains one
 * more often than a note, so the conditions for a value after the name of a secret are weaker.
 */
export function holdsCredential(text: string): boolean {
  return (
    byShape(text) !== null ||
    byName(text) !== null ||
    holdsNamedValue(text) ||
    isBareValue(text) ||
    isSecretManifest(text)
  )
}

/** `at` and `end`: offsets of the value. */
type CredentialMatch = { readonly kind: string; readonly at: number; readonly end: number }

function byShape(text: string): CredentialMatch | null {
  if (!ANY_SHAPE.test(text)) return null
  for (const [kind, shape] of SHAPES)
    for (const match of text.matchAll(shape))
      if (!isExample(match[0])) return { kind, at: match.index, end: match.index + match[0].length }
  return null
}

const SHAPES = CREDENTIAL_KINDS.map(([kind, shape]) => [kind, new RegExp(shape, "g")] as const)
const ANY_SHAPE = new RegExp(CREDENTIAL_KINDS.map(([, shape]) => shape).join("|"))

/** The first value that is named as a secret by the text before it. */
function byName(text: string): CredentialMatch | null {
  if (!ANY_NAME.test(text)) return null
  for (const { kind, pattern, accepts } of NAMED) {
    const span = firstNamed(text, pattern, accepts)
    if (span !== null) return { kind, ...span }
  }
  return null
}

type Span = { readonly at: number; readonly end: number }

/**
 * The first value that `accepts` accepts. A rejected value may be the name for the next one: `key: api_key = …`.
 */
function firstNamed(text: string, pattern: RegExp, accepts: NamedCredential["accepts"]): Span | null {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { value = "", user = "" } = match.groups!
    const at = match.index + match[0].lastIndexOf(value)
    // The value is a call or an index expression: `password = hash2(…)`.
    const isCode = /^[([]/.test(text.slice(pattern.lastIndex, pattern.lastIndex + 1))
    if (!isCode && accepts(value.replace(ENDING, ""), user)) return { at, end: at + value.length }
    pattern.lastIndex = Math.max(at, match.index + 1)
  }
  return null
}

/** A key of 40 characters that nothing names, such as the secret key of AWS; hashes of commits are hexadecimal. */
function byRandomness(text: string): CredentialMatch | null {
  const span = firstNamed(text, BARE_KEY, isBareKey)
  return span && { kind: "a random key", ...span }
}

const BARE_KEY = /(?<![\w/+=.:@#%?&~-])(?<value>[A-Za-z0-9/+]{40})(?![\w/+=.:@%-])/g

function isBareKey(value: string): boolean {
  return (
    /[a-z]/.test(value) && /[A-Z]/.test(value) && isShuffled(value) && entropy(value) >= 4 && isRandom(value)
  )
}

/**
 * True if small letters, capitals and digits alternate as in random values, where they do at half of all places. In names
 * such as `createUserToken2` they do at one of seven.
 */
function isShuffled(value: string): boolean {
  const changes = value.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])|[A-Z](?=[A-Z][a-z])/g)?.length ?? 0
  return value.length >= 20 && changes >= value.length * 0.3
}

const ANY_NAME =
  /pass|kennwort|contrase|senha|pwd|\bpw\b|secret|token|key|credential|bearer|basic|identified|:\/\/|curl|mysql|auth\b|cookie|authorization|psk|login|:\d+:|:\*:|snmp|seed|phrase|words|mnemonic/i

/**
 * Matches punctuation and closing asterisks after a value: the end of a sentence or of bold text. Three asterisks are
 * kept, because they stand for hidden characters.
 */
const ENDING = /(?<!\*)\*{1,2}[.:!?]*$|(?<![.:!?])[.:!?]+$/

function statedCredential(text: string): CredentialMatch | null {
  const span = findStatedSecret(text)
  return span && { kind: KEY, ...span }
}

/**
 * Pattern for a value. All lengths in these patterns are limited, because otherwise a crafted text could make the
 * search slow.
 */
const VALUE = String.raw`(?<value>[^\s"'\`,;<>{}()[\]]{10,400})`
const PASSWORD_VALUE = String.raw`(?<value>[^\s"'\`,;<>{}()[\]|]{6,200})`
const QUOTE = String.raw`["'\`*]{0,3}`
/** Pattern for the sign between a name and its value: `=`, `:`, `=>`, `:=`. */
const ASSIGNED = String.raw`${QUOTE}\s{0,20}(?:=>|:=|=|:)\s{0,20}${QUOTE}`
const PASSWORD_NAME = String.raw`(?:passw(?:or)?d|passwort|kennwort|contrase(?:ñ|n)a|mot de passe|senha|passphrase|passcode|pwd|(?<![a-z])pass|(?<![a-z])pw)\d?`
const SECRET_NAME = `(?:passw(?:or)?d|passphrase|pwd|secret|token|(?:api|app|access|private|secret|auth|account|signing|encryption|subscription|master|license|service)[_ -]?key|credentials?|(?<![a-z])_?auth)`

type NamedCredential = {
  readonly kind: string
  readonly pattern: RegExp
  readonly accepts: (value: string, user: string) => boolean
}

const KEY = "a password or key"

const NAMED: readonly NamedCredential[] = [
  { kind: KEY, pattern: new RegExp(PASSWORD_NAME + ASSIGNED + PASSWORD_VALUE, "gi"), accepts: isPassword },
  { kind: KEY, pattern: new RegExp(SECRET_NAME + ASSIGNED + VALUE, "gi"), accepts: isRandom },
  // "auth token 5cf2…": without a sign between them, the value has to be hex digits in the length of a key.
  {
    kind: KEY,
    pattern:
      /\b(?:(?:auth|access|refresh|bearer|api)[ _-]?token|(?:api|app|access|private|secret|auth|account|signing|encryption)[ _-]?key|(?:client|app|api)[ _-]?secret)\s{1,9}(?<value>[a-f\d]{32}|[a-f\d]{40}|[a-f\d]{64})(?![\w-])/gi,
    accepts: isRandom,
  },
  // Values that consist of letters only and directly follow the sign, as in connection strings and shells:
  // `Password=swordfish;`
  {
    kind: KEY,
    pattern: new RegExp(String.raw`${PASSWORD_NAME}=["']?(?<value>[A-Za-z]{8,60})(?![\w(.[/@:-])`, "gi"),
    accepts: isWordPassword,
  },
  // "the password is …". Only for passwords, because "the token is HS256-signed" describes a token.
  {
    kind: KEY,
    pattern: new RegExp(
      String.raw`(?:passw(?:or)?d|passphrase)(?:\s{1,9}for(?:\s{1,9}\S{1,60}){1,3}?)?\s{1,9}(?:is|was)(?:\s{1,9}now)?:?\s{1,9}${QUOTE}${PASSWORD_VALUE}`,
      "gi",
    ),
    accepts: isPassword,
  },
  {
    kind: "an authorization header",
    pattern: new RegExp(String.raw`\b(?:bearer|basic|ssws)\s+${VALUE}`, "gi"),
    accepts: (value) => isRandom(value) || isBasicLogin(value),
  },
  {
    kind: "a password in an address",
    pattern: /\b[a-z][a-z0-9+.-]{0,30}:\/\/(?<user>[^\s:@/"']{0,100}):(?<value>[^\s:@/"'<>{}]{4,200})@/gi,
    accepts: isAddressPassword,
  },
  // A password in a .netrc file.
  {
    kind: KEY,
    pattern:
      /\b(?:machine\s{1,9}\S{1,200}|default)\s{1,9}login\s{1,9}(?<user>\S{1,100})\s{1,9}password\s{1,9}(?<value>\S{4,200})/gi,
    accepts: isAddressPassword,
  },
  // Command-line options: --password x, --token x, sshpass -p x, mysql -px, curl -u name:x
  {
    kind: KEY,
    pattern: new RegExp(
      `--(?:[a-z]{1,20}-)?(?:password|passwd|passphrase|pass|pwd)[ =]${QUOTE}${PASSWORD_VALUE}`,
      "gi",
    ),
    accepts: isPassword,
  },
  {
    kind: KEY,
    pattern: new RegExp(`--[a-z-]{0,30}(?:token|secret|key)[ =]${QUOTE}${VALUE}`, "gi"),
    accepts: isRandom,
  },
  {
    kind: KEY,
    pattern: new RegExp(
      String.raw`\b(?:sshpass\s{1,9}-p\s{0,9}|mysql(?:dump|admin)?\b[^\n]{0,120}?\s-p|curl\b[^\n]{0,120}?\s(?:-u|--user)[ =]?${QUOTE}[^\s:"']{1,100}:)${QUOTE}${PASSWORD_VALUE}`,
      "gi",
    ),
    accepts: isPassword,
  },
  // SQL: IDENTIFIED BY 'x', PASSWORD 'x'. Redis: requirepass x
  {
    kind: KEY,
    pattern: new RegExp(
      String.raw`\b(?:identified\s{1,9}(?:with\s{1,9}\S{1,60}\s{1,9})?by\s{1,9}'|password\s{1,9}'|requirepass\s{1,9}|masterauth\s{1,9})${PASSWORD_VALUE}`,
      "gi",
    ),
    accepts: isPassword,
  },
  // XML: <password>x</password>, <add key="ApiKey" value="x"/>
  {
    kind: KEY,
    pattern: new RegExp(
      `<(?:[a-z]{0,20}password|passphrase|pwd|secret|[a-z]{0,20}token|[a-z]{0,20}key)>${PASSWORD_VALUE}</`,
      "gi",
    ),
    accepts: isPassword,
  },
  {
    kind: KEY,
    pattern: new RegExp(
      String.raw`(?:key|name)=["'][^"'\n]{0,60}(?:password|secret|token|apikey)[^"'\n]{0,30}["']\s{1,9}value=["']${PASSWORD_VALUE}`,
      "gi",
    ),
    accepts: isPassword,
  },
  // Names of variables that end in _KEY: ENCRYPTION_KEY=…
  {
    kind: KEY,
    pattern: new RegExp(
      `(?<![A-Za-z0-9_])(?!(?:[A-Z0-9]{1,40}_){0,8}?(?:PUBLIC|PUB|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|HOST|IDEMPOTENCY)_)(?:[A-Z0-9]{1,40}_){1,8}KEY\\d?${ASSIGNED}${VALUE}`,
      "g",
    ),
    accepts: isRandom,
  },
  // "the private key 0x…"
  {
    kind: "a private key",
    pattern: /priv(?:ate)?[ _-]?key\b[^\n]{0,30}?(?<![a-f\d])(?:0x)?(?<value>[a-f\d]{64})(?![a-f\d])/gi,
    accepts: (value) => !isExample(value),
  },
  // "the API key is …", "the token is …"
  {
    kind: KEY,
    pattern: new RegExp(
      String.raw`\b(?:token|secret|key)\s{1,9}(?:is|was|ist|lautet)(?:\s{1,9}now)?:?\s{1,9}${QUOTE}${VALUE}`,
      "gi",
    ),
    accepts: isRandom,
  },
  {
    kind: "a cookie",
    pattern:
      /\b(?:set-)?cookie2?["']?[ \t]{0,9}[:=][ \t]{0,9}["']?(?:[^\s=;"']{1,60}=[^\s;"']{0,400};[ \t]{0,3}){0,20}?(?<user>[^\s=;"']{1,60})=(?<value>[^\s;,"']{16,400})/gi,
    accepts: isRandom,
  },
  {
    kind: "an authorization header",
    pattern: new RegExp(
      String.raw`\bauthorization["']?\s{0,9}[:=]\s{0,9}["']?(?:[a-z][\w-]{1,20}\s{1,9})?${VALUE}`,
      "gi",
    ),
    accepts: isRandom,
  },
  // "auth": "…" in the settings of Docker: name and password in base64.
  {
    kind: KEY,
    pattern: /\b_?auth["']?\s{0,9}[:=]\s{0,9}["']?(?<value>[A-Za-z0-9+/]{8,400}={0,2})/gi,
    accepts: isBasicLogin,
  },
  // A line of .pgpass: host:port:database:user:password
  {
    kind: KEY,
    pattern:
      /(?<![\w.:*/-])(?:\*|[\w.-]{0,60}[a-z][\w.-]{0,60}):(?:\d{4,5}|\*):[\w*-]{1,60}:[\w.*-]{1,60}:(?<value>[^\s:"'`]{6,200})(?![^\s"'`])/gi,
    accepts: isPassword,
  },
  {
    kind: KEY,
    pattern: new RegExp(
      `(?<![a-z])(?:psk|wpa[-_]?(?:psk|passphrase)|wi-?fi[-_ ]?(?:key|password))${ASSIGNED}${PASSWORD_VALUE}`,
      "gi",
    ),
    accepts: isPassword,
  },
  {
    kind: KEY,
    pattern: new RegExp(
      String.raw`\b(?:htpasswd\s{1,9}-\w{0,6}b\w{0,6}\s{1,9}\S{1,100}\s{1,9}\S{1,60}\s{1,9}|login\b[^\n]{0,120}?\s-p[ =]?|snmp-server\s{1,9}community\s{1,9}|(?:enable|username\s{1,9}\S{1,60})\s{1,9}(?:secret|password)\s{1,9}\d\s{1,9})${QUOTE}${PASSWORD_VALUE}`,
      "gi",
    ),
    accepts: isPassword,
  },
  // The words from which the keys of a wallet are derived.
  {
    kind: "the words of a wallet",
    pattern:
      /\b(?:(?:seed|recovery|backup|mnemonic|secret)[ _-](?:phrase|words)["']?(?:\s{1,3}is)?\s{0,3}[:=]?|(?:seed|mnemonic)["']?(?:\s{1,3}is|\s{0,3}[:=]))\s{0,3}["']?(?<value>[a-z]{3,8}(?:(?:[ \n]|, ?)[a-z]{3,8}){11,23})(?![a-z])/gi,
    accepts: (value) => !SENTENCE.test(value.split(/[ ,\n]+/, 12).join(" ")),
  },
  // Kubernetes and Compose files, where name and value are on two lines.
  {
    kind: KEY,
    pattern: new RegExp(
      String.raw`\bname:\s{0,9}["']?\w{0,60}(?:password|passwd|secret|token|api_?key)\w{0,30}["']?[ \t]{0,9}\r?\n[ \t]{0,60}-?\s{0,9}value:\s{0,9}${QUOTE}${PASSWORD_VALUE}`,
      "gi",
    ),
    accepts: isPassword,
  },
]

/** True for a name and a password in base64, as headers have them. */
function isBasicLogin(value: string): boolean {
  return /^[\w.@-]{1,60}:[!-~]{4,200}$/.test(Buffer.from(value, "base64").toString("latin1"))
}

/** Matches a word that sentences have and lists of words for wallets never contain, or two endings that these seldom have. */
const SENTENCE =
  /\b(?:the|and|for|are|your|was|not|with|from|has|its|but|which|these|those|them|their|our|been|were|did|does|should|would|could|may|through|while|without|get|set|new|user|let|after)\b|(?:(?:[^suia]s|[^e]ed|[a-z]{3}[^r]ing)\b.*){2}/i

/**
 * True for a description that is written like a password: "is pbkdf2-sha256", "was NTLMv2-hashed", "is DB_SECRET_2",
 * "was PR#12", "is vault:secret/db", "is RFC2898-derived".
 */
function describesPassword(value: string): boolean {
  return (
    ALGORITHM.test(value) ||
    REFERENCE.test(value) ||
    TERM.test(value) ||
    QUANTITY.test(value) ||
    /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|-(?:[A-Za-z]{2,20}ed|specific|only|based|free|like|safe)$|^[A-Z]{2,5}#\d+(?:\/|$)/.test(
      value,
    )
  )
}

/** Matches the name of an algorithm, with parameters that are too short to be a secret. */
const ALGORITHM =
  /^(?:argon2(?:id|[id])?|[bs]crypt|yescrypt|pbkdf2|hkdf|hmac|sha-?\d+|md[45]|blake[23][bs]?|aes|x?chacha20|ed25519|x25519|rsa|ntlm(?:v[12])?)(?:[-_/:+=.][A-Za-z0-9]{0,9})*$/i

/**
 * Matches a reference to the place where a secret is stored: `op://vault/item`, `vault:secret/db#password`,
 * `env:DB_PASSWORD_2`.
 */
const REFERENCE =
  /^(?:vault|op|ssm|arn|env|file|secrets?|secretsmanager|keyring|keychain|kms|akv|ref|sops|bws|gopass|doppler|gcp|aws|azure)[:/]/i

/**
 * Matches lengths, types, encodings and numbered placeholders: "8-64chars", "utf8", "varchar255", "field2",
 * "PBKDF2-based".
 */
const TERM =
  /^(?:(?:min|max|len|length|utf|base|oauth|hex|int|uint|float|double|bytes?|varchar|nvarchar|char|string|str|text|number|decimal|arg|param|var|val|value|field|input|output|column|col|item|step|line|option|level|stage|phase|rule|case|page|figure|table|section|chapter|foo|bar|baz|qux|test|user|demo|default|k8s|ldap|pkcs|rfc|cve|x)[-_.:]?\d{1,5}\w{0,3}|[a-z]+[-_]v?\d{1,2}|v\d+(?:[._-][\w.-]*|(?:alpha|beta|rc|x)\d*)?)$/i

/** Matches a number with its unit: "8-64chars", "256Bit", "2GB". A password mixes its letters. */
const QUANTITY = /^\d+(?:-\d+)?\+?-?(?:[A-Z]?[a-z]{1,9}|[A-Z]{1,4})$/

/** True for a value that may be a password: letters together with digits or signs, and not a common placeholder. */
function isPassword(value: string): boolean {
  if (value.length < 6 || !/[a-z]/i.test(value)) return false
  if (
    !/[\d!@#$%^&+?~*]/.test(value.slice(1)) &&
    !/^\d(?=[A-Za-z]*[A-Z])(?=[A-Za-z]*[a-z][A-Za-z])/.test(value)
  )
    return false
  if (!/\d/.test(value) && (!/[!@#$%^&+?~*].*[a-z]/i.test(value) || value.length < 8)) return false
  if (isExample(value) || DUMMY.test(value) || describesPassword(value) || CODE.test(value)) return false
  return !isIdentifier(value) && !/^[\w.-]+(?:\/[\w.-]+)+$/.test(value) && !isNumberedWords(value)
}

/** True unless the word is a value of another kind (`password=required`) or an identifier (`password=newPassword`). */
function isWordPassword(value: string): boolean {
  if (isExample(value) || DUMMY.test(value) || NO_PASSWORD.test(value) || ADDRESS_DUMMY.test(value))
    return false
  return !/[a-z][A-Z]/.test(value)
}

const NO_PASSWORD =
  /^(?:required?|optional|undefined|disabled?|enabled?|encrypted|mandatory|plaintext|password|anything|something|whatever|nullable|protected|sensitive|unknown|(?:un)?specified|forgotten|incorrect|correct|invalid|validated?|expired|provided|generated?|disallowed|allowed|unlimited|function|document|database|settings|automatic|prompted|interactive|localhost|readonly|writeonly|username|credential|environ|getenv|variable|constant|argument|attribute|parameter|property|component|confirmation|confirm(?:ed)?)$/i

/** Matches common placeholders such as "password123". */
const DUMMY =
  /^(?:my|the|new|old|some|user|db|root|admin|test|your|secret)?[-_]?p[a@4]ss(?:w(?:or|0r)?d)?[-_!]?\d{0,4}!?$/i

/**
 * True for an identifier, such as `userPassword1Field`, `get_token_v2` or `db.password1`. None of its words follows a
 * digit.
 */
function isIdentifier(value: string): boolean {
  if (!/^[A-Za-z_]\w*$/.test(value) || /\d[a-z]{3}/.test(value)) return false
  if (/^[a-z]{2,}(?:[A-Z][a-z]{2,}){2,}\d*$|^[a-z]\w*(?:_[a-z]\w*){2,}$/.test(value)) return true
  return /[a-z\d][A-Z]|[a-z]_/.test(value) && PROGRAM_TERMS.test(value)
}

const PROGRAM_TERMS =
  /passw|pwd|token|secret|key|hash|field|param|value|user|config|input|string|data|auth|version|env/i

/** True for words and numbers that are joined by signs: "issue-12-details", "step-2-of-3". */
function isNumberedWords(value: string): boolean {
  return /^[a-z]{2,}(?:[-_.:/](?:[a-z]+|\d{1,4}))+$/i.test(value) && value.split(/[-_.:/]/).length > 2
}

/**
 * True for a password in an address (`user:password@host`). Its position shows that it is a password, so a value that
 * consists of letters only is accepted, too.
 */
function isAddressPassword(value: string, user: string): boolean {
  if (isExample(value) || ADDRESS_DUMMY.test(value) || DUMMY.test(value) || CODE.test(value)) return false
  // Excludes placeholders, as in `https://USER:API@host`.
  if (/^[A-Z][A-Z_]*$/.test(value) || value.toLowerCase() === user.toLowerCase()) return false
  return value.length >= 6 && /[a-z]/i.test(value)
}

/** Matches common placeholders for a password in an address. */
const ADDRESS_DUMMY =
  /pass|pwd|secret|token|your|user|\bkey\b|^(?:postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|rabbitmq|guest|admin|root|test(?:ing)?|foo(?:bar)?|bar|baz|qux|demo|default|x-oauth-basic|oauth2?|hello|world|apikey|string|port|host|name|login|access|value|\d+)$|^[%$*.…#]/i

/**
 * Minimum entropy in bits per character. A random hexadecimal value of ten digits has 2.6 to 3.3; a word rarely has
 * more than 3.
 */
const MIN_ENTROPY = 2.8

/** True for a mixture of letters and digits that is not a word, path, variable, version or call. */
function isRandom(plain: string): boolean {
  if (plain.length < 8 || !/\d/.test(plain) || !/[a-z]/i.test(plain)) return false
  return (
    !isExample(plain) &&
    !CODE.test(plain) &&
    entropy(plain) >= MIN_ENTROPY &&
    (isShuffled(plain) || !hasWords(plain))
  )
}

/**
 * Matches values that are code or paths and not secrets: `process.env.TOKEN`, `$TOKEN`, `%TOKEN%`, `src/a1.ts`,
 * `v1.2.3-beta`, a date.
 */
const CODE =
  /^[$%@&*#/~]|^[a-z_]\w*(?:\.[a-z_]\w*)+$|^(?:\.{0,2}\/)?[\w-]+(?:\/[\w.-]+)+\.\w+$|^v?\d+\.\d+|^\d{4}-\d\d-\d\d|:\/\//i

/** True if the value consists of words followed by a number, as names do, or of short pieces, as cache keys do. */
function hasWords(value: string): boolean {
  const runs = value.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []
  const words = runs.filter((run) => run.length >= 3 && /[aeiouy]/i.test(run)).join("")
  const longest = Math.max(...value.split(/[^A-Za-z0-9]+/).map((piece) => piece.length))
  return words.length > value.length / 2 || (longest < 6 && /[:/._-]/.test(value))
}

function isExample(value: string): boolean {
  return EXAMPLE.test(value) || /(?!^)([^_=.-])\1{5}/.test(value)
}

const EXAMPLE =
  /example|placeholder|your|change|dummy|sample|redacted|masked|xxxx|\*\*\*|\.\.\.|…|123456|abcdef|deadbeef/i

/** The Shannon entropy of a text, in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / text.length)
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
}

/**
 * True if the name of a secret is followed by a value of letters and digits without blanks: `"refresh": "gho1234…"`,
 * `auth_token = …`.
 */
function holdsNamedValue(text: string): boolean {
  for (const match of text.matchAll(LOOSELY_NAMED)) {
    const value = match.groups!["value"]!
    const hasCall = text[match.index + match[0].length] === "("
    const isValue = /\d/.test(value) && /[a-z]/i.test(value)
    if (isValue && !hasCall && !isExample(value) && !CODE.test(value) && !describesPassword(value))
      return true
  }
  return false
}

const LOOSELY_NAMED = new RegExp(
  `(?:pass(?:w(?:or)?d)?|pwd|secret|token|key|auth|credentials?|refresh|access|session|cookie|connection_?string|sas|dsn|pat)${ASSIGNED}${PASSWORD_VALUE}`,
  "gi",
)

/** True for a file that contains nothing but a value, such as `token.txt`. */
function isBareValue(text: string): boolean {
  const value = text.trim()
  if (value.length < 6 || value.length > 4_000 || isExample(value) || CODE.test(value)) return false
  const lines = value.split(/\r?\n/)
  return (
    lines.length <= 2 &&
    lines.every((line) => /^[!-~]{6,}$/.test(line)) &&
    /\d|[^\w.-]|[a-z][A-Z]/.test(value)
  )
}

/** True for a Kubernetes Secret that contains values, in base64 or as plain text. */
function isSecretManifest(text: string): boolean {
  return /^\s*"?kind"?:\s*"?Secret"?\s*,?\s*$/m.test(text) && MANIFEST_VALUE.test(text)
}

const MANIFEST_VALUE =
  /^\s*"?(?:data|stringData)"?:\s*\{?\s*\n(?:\s*#.*\n)*\s+"?[\w.-]{1,200}"?:\s*["']?(?!["']?\s*$|\{\{|\$|<)[!-~]/m

/** True for a list that contains a random value, or a password after a name: "mail: x", "| mail | x |". */
export function listsSecrets(text: string): boolean {
  const isListed = (value: string) =>
    !HASH_OR_ID.test(value) &&
    ((value.length >= 16 && isRandom(value)) || (OF_ALL_KINDS.test(value) && isPassword(value)))
  for (const [value] of text.matchAll(LISTED)) if (isListed(value.replace(ENDING, ""))) return true
  for (const match of text.matchAll(NAMED_LINE)) if (isPassword(match.groups!["value"]!)) return true
  return false
}

const HASH_OR_ID = /^(?:[a-f\d]{7,12}|[a-f\d]{40}|[a-f\d]{64}|[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12})$/i
const LISTED = /[^\s"'`,;:<>{}()[\]|]{8,200}/g
const NAMED_LINE = /[:|=][ \t]{0,20}["'`*]{0,3}(?<value>[^\s"'`,;<>{}()[\]|]{6,200})["'`*|, \t]{0,20}$/gm
const OF_ALL_KINDS = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[!@#$%^&+?~*])/
