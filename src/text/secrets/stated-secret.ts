/**
 * Finds passwords that notes state in plain words: `password: swordfish`, `DB_PASSWORD=zebra-lamp-44`, "the password
 * hunter22". `credentials.ts` finds random values; here, any value counts that is written where a password would be and
 * is not a word that describes passwords.
 */

/** Offsets of the first secret that the text states; null if there is none. */
export function findStatedSecret(text: string): { readonly at: number; readonly end: number } | null {
  if (!ANY_LABEL.test(text)) return null
  for (const { pattern, accepts } of STATEMENTS) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const { value = "" } = match.groups!
      const at = match.index + match[0].lastIndexOf(value)
      const plain = value.replace(/[.:!?*_]+$/, "")
      const after = text.slice(at + plain.length, at + plain.length + 60)
      if (!isPlaceholder(value) && accepts(plain, after)) return { at, end: at + plain.length }
      pattern.lastIndex = at
    }
  }
  return null
}

const ANY_LABEL =
  /pass|kennwort|contrase|senha|parola|pwd|pw\b|secret|token|cred|log|sign|anmeld|ftp|admin|root|zugangsdaten|identifiants|密码|密碼|口令|パスワード|비밀번호|암호|парол|συνθηματικό|wachtwoord|lösenord|hasło|heslo|şifre/iu

/**
 * Pattern for the name of a password. Names that begin or end inside another word do not count ("tokens:", "bypass:");
 * `DB_PASSWORD` does.
 */
const PASSWORD = String.raw`(?<![\p{L}\d-])(?:[\p{L}\d_.-]{0,40}[_.-])?(?:passw(?:or)?d|passwort|kennwort|contrase(?:ñ|n)a|senha|mot de passe|passphrase|passcode|pwd|pw|(?<=[_.-])pass|pass(?=[ \t]{0,9}=))\d?`
const SECRET = String.raw`(?<![\p{L}\d-])(?:[\p{L}\d_.-]{0,40}[_.-])?(?:secret|token)\d?`
const QUOTE = String.raw`["'\x60*„“”«»]{0,3}`
/** Spaces, with those that French has before a colon. */
const BLANKS = String.raw`[ \t\u00a0\u202f]{0,9}`
const ASSIGNED = `${QUOTE}${BLANKS}(?:=>|:=|=|:|→|⇒)${BLANKS}${QUOTE}`
const VALUE = String.raw`(?<value>[^\s"'\x60,;<>{}()[\]|/„“”«»][^\s"'\x60,;<>{}()[\]|“”«»]{3,200})`

/** Names of a password in sentences. */
const NAME = String.raw`(?<![\p{L}\d-])(?:passw(?:or)?d|passwort|kennwort|passphrase|passcode|contrase(?:ñ|n)a|senha|parola|mot de passe|wachtwoord|lösenord(?:et)?|hasło|heslo|şifre)`
/** What the password is for, up to three words. */
const PURPOSE = String.raw`(?:[ \t]{1,9}(?:for|of|on|für|von|vom|zum|zur|auf|de|du|des|del|della|di|pour|para|da|do|van|voor|till)(?:[ \t]{1,9}[^\s:=]{1,40}){1,3}?)?`
const IS = `(?:is|was|ist|war|lautet|lautete|heißt|est|était|es|era|é|è|jest|to|je|är)`

/** A password's name in a language whose words for describing a password are not known here, and the value after it. */
const FOREIGN = String.raw`(?:密码|密碼|口令|パスワード|비밀번호|암호|(?<!\p{L})(?:парол[ьяю]|συνθηματικό|wachtwoord|lösenord|hasło|heslo|şifre))[ \t]{0,9}(?:[=:：＝→⇒—]|是|为|為|は|는|은)[ \t]{0,9}${QUOTE}(?<value>(?!/)(?:(?!["'\x60,;<>{}()[\]|])[!-~]){4,200})`

type Accepts = (value: string, after: string) => boolean

const STATEMENTS: readonly { readonly pattern: RegExp; readonly accepts: Accepts }[] = [
  { pattern: new RegExp(PASSWORD + ASSIGNED + VALUE, "giu"), accepts: isPasswordValue },
  { pattern: new RegExp(SECRET + ASSIGNED + VALUE, "giu"), accepts: isSecretValue },
  {
    pattern: new RegExp(FOREIGN, "giu"),
    accepts: isNumberedValue,
  },
  // A block of YAML: the value is on the next line.
  {
    pattern: new RegExp(
      String.raw`(?:${PASSWORD}|${SECRET})["']?[ \t]{0,9}:[ \t]{0,9}[|>][+-]?\d?[ \t]{0,9}\r?\n[ \t]{1,40}${VALUE}`,
      "giu",
    ),
    accepts: isPasswordValue,
  },
  // The settings of LDAP: "bindpw x"
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d_-])(?:bindpw|rootpw|olcRootPW)[ \t]{0,9}[:=]?[ \t]{1,9}${QUOTE}${VALUE}`,
      "giu",
    ),
    accepts: isPasswordValue,
  },
  // A row of a table: | password | x |
  {
    pattern: new RegExp(String.raw`${PASSWORD}${QUOTE}[ \t]{0,20}\|[ \t]{0,20}${QUOTE}${VALUE}`, "giu"),
    accepts: isGuarded,
  },
  // "login with Sommer2026", "log in as ann with x", "Anmeldung mit ann / x"
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d_-])(?:log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed|ing)?[ -]?in|anmeld\p{L}{1,6}|einloggen)[^\n]{0,40}?[ \t](?:with|using|mit)[ \t]{1,5}(?:the[ \t]{1,3})?(?:[\w.@+-]{1,40}[ \t]{0,3}[/:][ \t]{0,3})?${QUOTE}${VALUE}`,
      "giu",
    ),
    accepts: isGuarded,
  },
  // "admin / x", "root : x"
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d_/.-])(?:root|admin|administrator|ubuntu|postgres)[ \t]{1,3}[/:|][ \t]{1,3}${QUOTE}${VALUE}`,
      "giu",
    ),
    accepts: isGuarded,
  },
  // "ftp ann x", "ftp: user ann pass x"
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d_/.-])s?ftp[ \t:]{1,3}(?:user(?:name)?[ \t:=]{1,3})?[\w.@-]{1,40}[ \t/:,]{1,3}(?:pass(?:word|wd)?[ \t:=]{1,3})?${QUOTE}${VALUE}`,
      "giu",
    ),
    accepts: isGuarded,
  },
  {
    pattern: new RegExp(`${PASSWORD}[ \\t]{0,9}-{1,2}>[ \\t]{0,9}${QUOTE}${VALUE}`, "giu"),
    accepts: isNumberedValue,
  },
  // "password hunter22", "the staging password is swordfish-9": there is no sign in between, so the value must contain
  // a digit.
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d-])(?:passw(?:or)?d|passwort|kennwort|passphrase|passcode)[ \t]{1,9}(?:(?:is|was|now|to)[ \t]{1,9}){0,2}${QUOTE}${VALUE}`,
      "giu",
    ),
    accepts: isNumberedValue,
  },
  // "das Passwort für db2 lautet geheim-77", "la contraseña es caballo42"
  {
    pattern: new RegExp(
      String.raw`${NAME}${PURPOSE}[ \t]{1,9}${IS}:?[ \t]{1,9}(?:now|jetzt|nun|ahora|maintenant)?[ \t]{0,9}${QUOTE}${VALUE}`,
      "giu",
    ),
    accepts: isNumberedValue,
  },
  // "credentials: admin/Adm1n-123", "login: ann / hunter22", "user/password = ann:hunter22"
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d_-])(?:cred(?:ential)?s?|logins?|log-?in data|zugangsdaten|identifiants|credenciales|credenciais|user(?:name)?[ \t]{0,3}[/&+][ \t]{0,3}pass(?:word)?)${ASSIGNED}[\w.@+-]{1,60}[ \t]{0,3}[/:|][ \t]{0,3}${QUOTE}${VALUE}`,
      "giu",
    ),
    accepts: (value, after) =>
      isNumberedValue(value, after) && !/^[/:]/.test(after) && !/\.\p{L}{1,5}\d?$|^v\d/u.test(value),
  },
]

/** True for a value with a digit that is neither code nor a description. */
function isNumberedValue(value: string, after: string): boolean {
  return /\d/.test(value) && isMixed(value) && !isCode(value, after) && !isDescription(value)
}

/**
 * True for a value that nothing but its form shows to be a password: letters of both cases with digits inside, with a year
 * or a sign at the end, or in no order of words.
 */
function isGuarded(value: string, after: string): boolean {
  if (!isNumberedValue(value, after) || !/\p{Ll}/u.test(value) || !/\p{Lu}/u.test(value)) return false
  if (/^v\d+\p{Ll}*$|[-_.]/iu.test(value)) return false
  const changes =
    value.match(/\p{Ll}(?=[\p{Lu}\d])|\p{Lu}(?=\d)|\d(?=\p{L})|\p{Lu}(?=\p{Lu}\p{Ll})/gu)?.length ?? 0
  return changes >= 3 || /\d{4}$|\d.*\p{L}/u.test(value) || /^[!?*]/.test(after)
}

function isPasswordValue(value: string, after: string): boolean {
  if (isCode(value, after) || isDescription(value)) return false
  if (isMixed(value) || isPhrase(value)) return true
  // A value that is one word or a number counts only if the sentence does not continue, as it does in "password:
  // required for admins".
  return (
    ENDS.test(after) &&
    (/^\p{L}{5,60}$/u.test(value) ||
      /^\d{4,20}$/.test(value) ||
      /^[\p{L}\d!@#$%^&+?~*.-]{5,60}$/u.test(value))
  )
}

/**
 * True for a value after the name of another secret, such as a token. Programs and their documents mention secrets and
 * tokens more often than notes state their values, so the value must be unlike a word.
 */
function isSecretValue(value: string, after: string): boolean {
  if (isCode(value, after) || isDescription(value) || !ENDS.test(after)) return false
  if (NAMES_A_SECRET.test(value)) return false
  return isMixed(value) || isPhrase(value) || /^\p{Ll}{6,60}$/u.test(value)
}

/** Matches what may follow a value: the end of the line or statement, or where and when the value is valid. */
const ENDS =
  /^[.:!?*_"'`“”»]*(?:[ \t]*(?:$|[\r\n,;)\]}|/(]|[–—-][ \t]|#[ \t])|[ \t]+(?:for|on|in|at|since|until|as of|and|und|für)[ \t])/u

/**
 * True for at least six characters with letters and, after the first character, a digit or a sign that words do not contain. A
 * digit in front counts only before letters of both cases.
 */
function isMixed(value: string): boolean {
  return (
    value.length >= 6 &&
    /\p{L}/u.test(value) &&
    (/[\d!@#$%^&+?~*]/.test(value.slice(1)) || STARTED.test(value))
  )
}

/** Matches a digit before letters of both cases. */
const STARTED = /^\d(?=\p{L}*\p{Lu})(?=\p{L}*\p{Ll}\p{L})/u

/** True for a passphrase: three or more words that are joined by signs. */
function isPhrase(value: string): boolean {
  return /^\p{L}{2,}(?:[-_.]\p{L}{2,}){2,}$/u.test(value)
}

/** True for code: a call, an index expression, a variable, a path, a version, a template. */
function isCode(value: string, after: string): boolean {
  return (
    /^[([{<]/.test(after) ||
    /^[$%@&*#/~\\-]|\$\{|^\p{L}\w*(?:\.\p{L}\w*)+$|\/|^v?\d+\.\d|^\d{4}-\d\d-\d\d|[:=&]/u.test(value) ||
    /^(?:[A-Z]?[a-z]{2,}\d*)(?:[A-Z][a-z]{2,}\d*)+$|^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$|^_|_$/.test(value) ||
    /^\p{L}\w*(?:_\p{L}+)+$/u.test(value)
  )
}

/** True for common placeholders: instructions to the reader, and values that are not worth protecting. */
function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || /(.)\1{3}/u.test(value)
}

const PLACEHOLDER =
  /example|placeholder|your|change|dummy|sample|redacted|masked|hidden|censored|filtered|xxx|\*\*\*|\.\.\.|…|^•|12345|abcdef|deadbeef|^(?:my|the|new|old|some|user|db|root|admin|test|super|top)?[-_]?(?:secret[-_]?)?(?:p[a@4]ss(?:w(?:or|0r)?d)?|pwd|secret|token)[-_!]?(?:key|value|here)?\d{0,4}!?$|^(?:foo|bar|baz|qux|foobar|guest|admin|root|test(?:ing|er)?|demo|letmein|qwerty|todo|tbd|none|null|nil|empty|blank|unset|undefined|default|n\/a|nothing|anything|something|whatever|here)\d{0,3}$/i

/** True for words that describe secrets: their type, length, state or use. */
function isDescription(value: string): boolean {
  const word = value.replace(/\d{1,2}$/, "")
  return DESCRIPTION.test(word) || ENDING.test(word) || TECHNICAL.test(value) || QUANTITY.test(value)
}

const DESCRIPTION =
  /^(?:strings?|text|str|bytes?|int(?:eger)?|number|numeric|bool(?:ean)?|true|false|varchar|char|object|array|any|unknown|void|never|type|opaque|random|unique|secure|strong|weak|long|short|min(?:imum)?|max(?:imum)?|optional|mandatory|enabled?|disabled?|yes|plain(?:text)?|clear(?:text)?|hash(?:es)?|salt|digest|cipher|crypto|vault|keychain|keyring|bitwarden|lastpass|keepass\w*|1password|environment|variable|config(?:uration)?|settings?|secrets?|tokens?|password|passwords|username|email|login|logout|signin|sign-in|signup|reset|forgot(?:ten)?|recovery|change|changes|update|rotation|policy|rules?|length|strength|field|input|form|page|dialog|prompts?|manager|generator|file|files|files?name|path|column|value|values|key|keys|header|headers?|cookies?|session|bearer|basic|digest-auth|oauth2?|jwts?|saml|oidc|ldap|kerberos|csrf|xsrf|api|admin|root|users?|owner|client|server|service|database|postgres(?:ql)?|mysql|redis|docker|kubernetes|identifier|ident|keyword|operator|comma|colon|semicolon|whitespace|newline|punctuation|symbol|literal|comment|refresh|access|lazy|eager|daily|weekly|monthly|yearly|quarterly|hourly|never|always|once|twice|again|none|same|different|other|both|either|neither|this|that|these|those|there|here|what|when|where|which|while|how|who|why|with|without|using|use|uses|used|see|ask|add|adds|set|sets|get|gets|put|puts|give|gives|pass|passes|send|sends|store|stores|keep|keeps|kept|read|reads|write|writes|make|makes|create|creates|generate|generates|check|checks|verify|verifies|validate|require|requires|support|supports|allow|allows|click|enter|type|choose|select|press|open|only|also|just|now|not|must|should|shall|will|would|can|cannot|could|may|might|needs?|wants?|has|have|had|does|did|done|was|were|been|being|are|please|fix(?:es)?|bug|docs|tests?|feature|refactor|chore|issue|error|errors|fail(?:s|ure)?|wrong|right|good|bad|fine|okay|dead|alive|local(?:host)?|remote|public|private|internal|external|global|shared|interactive|automatic|manual|read-?only|write-?only|left|gone|lost|leak(?:s)?|safe|first|second|last|next|previous|current|latest|final|nullable|sensitive|confidential)$/i

/** Matches words that describe: "hashed", "readable", "case-sensitive", "encryption". */
const ENDING =
  /^\p{L}{2,}(?:[ei]d|ing|able|ible|tion|sion|ment|ness|less|ful|ly|ity|ance|ence|ment|ory|ous|ical)$|(?:^|-)(?:case|time|user|one|two|multi|single|self|auto|non|pre|re|un)-|-(?:\p{L}{2,20}ed|specific|only|based|free|like|safe|sensitive|insensitive|time|lived|factor|wide|side|style|level|type|related|auth|in|up|out|\p{L}+ing)$|['’]/iu

/** Matches a number with its unit: "8-64chars", "256Bit". A password mixes its letters. */
const QUANTITY = /^\d+(?:-\d+)?\+?-?(?:\p{Lu}?\p{Ll}{1,11}|\p{Lu}{1,4})$/u

/** Matches algorithms, encodings, lengths and numbered names: "pbkdf2-sha256", "utf8", "8-64chars", "field2". */
const TECHNICAL =
  /^(?:argon2(?:id|[id])?|[bs]crypt|yescrypt|pbkdf2|hkdf|hmac|sha-?\d+|md[45]|blake[23][bs]?|aes|x?chacha20|ed25519|x25519|rsa|rs\d+|hs\d+|es\d+|ntlm(?:v[12])?|oauth2?)(?:[-_/:+=.][\p{L}\d]{0,12})*$|^(?:vault|op|ssm|arn|env|file|secrets?|secretsmanager|keyring|keychain|kms|akv|ref|sops|bws|gopass|doppler|gcp|aws|azure)[:.]|^(?:min|max|len|length|utf|base|oauth|hex|u?int|float|string|str|text|number|arg|param|var|val|value|field|input|output|column|item|step|line|option|rule|case|figure|table|section|chapter|test|user|ldap|pkcs|rfc|cve|pr|issue|version|release|v)[-_.:#]?\d{1,6}\w{0,3}$|#\d+$/iu

/**
 * Matches a value that is only the name under which a secret is stored: `secret: db-credentials`, `token:
 * access_token`.
 */
const NAMES_A_SECRET = /secret|token|cred|passw|pwd|key|auth|cert|tls|config|jwt|api|env/i

/**
 * The text, and the same text as a person reads it if letters were written in disguise: full-width letters, invisible
 * characters, accents, and letters of other alphabets that look like Latin ones. A secret in one of them is found.
 */
export function spellings(text: string): readonly string[] {
  if (!DISGUISED.test(text)) return [text]
  const plain = text.normalize("NFKC").replace(INVISIBLE, "")
  const latin = plain
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(LOOK_ALIKE, (letter) => LATIN.get(letter)!)
  return [...new Set([text, plain, latin])]
}

const DISGUISED = /[^\0-\x7f]/
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Letters of other alphabets, each with the Latin letter that it looks like (Unicode's confusables.txt). */
const PAIRS =
  "аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw кk мm тt вb нh гr ѵv пn АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ЅS ІI ЈJ ԌG " +
  "αa βb εe ιi κk νv οo ρp τt υu χx γy ωw ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX оo օo սu ոn հh ցg ɑa ɡg ıi ʟl ꜱs ᴀa " +
  "ᴅd ᴇe ᴋk ᴏo ᴘp ᴡw ᴛt ᴜu ʀr ɴn ɪi ʏy ʙb ᴄc ʜh ᴊj ᴍm ᴠv ᴢz ꮪS ꓢS ꓑP ꓦV"
const LATIN: ReadonlyMap<string, string> = new Map(
  PAIRS.split(" ").map((pair) => [[...pair][0]!, [...pair][1]!] as const),
)
const LOOK_ALIKE = new RegExp(`[${[...LATIN.keys()].join("")}]`, "gu")
