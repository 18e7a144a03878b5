/**
 * Decides which files contain keys or passwords, by their names and, where a name is unclear, by their text. All readers use these functions: the index, grep,
 * read, context, import, resources, hooks, git history and other repositories.
 *
 * A name is checked both as it is and without the additions that editors and backups make (`#.env#`, `server.key.bak`,
 * `secrets (1).yml`, `id_rsa.tar.gz`).
 */

/**
 * True when the path alone shows that the file contains keys or passwords, so that it must be neither indexed nor
 * shown. False for source code about secrets (`secrets.ts`, `password_reset.py`).
 */
export function isSecretPath(path: string): boolean {
  const parts = path.split("/")
  const name = parts.pop() ?? ""
  return isSecretFile(name, parts.at(-1)) || parts.some(isSecretFolder)
}

export function isSecretFolder(name: string): boolean {
  return FOLDERS.has(name.toLowerCase())
}

/** The same as `isSecretPath`, for the name of a file. `folder` is the name of its parent folder. */
export function isSecretFile(name: string, folder = ""): boolean {
  const lower = name.toLowerCase()
  if (isSource(lower)) return false
  const inFolder = folder.toLowerCase()
  return isSecretName(lower, inFolder) || namesBehind(lower).some((behind) => isSecretName(behind, inFolder))
}

/**
 * True if a text is secret: a private key in any file, or a credential in a file whose name suggests secrets. `path` is
 * relative to the root, or only a name.
 */
export function isSecretText(path: string, text: string): boolean {
  if (isPrivateKey(text)) return true
  if (!mayHoldSecrets(path)) return false
  // Loaded for such a file only, because its hundreds of expressions would delay every start of the program by 2 ms.
  const { holdsCredential, listsSecrets }: typeof import("./credentials.ts") = require("./credentials.ts")
  return holdsCredential(text) || (isNamedAfterSecrets(path) && listsSecrets(text))
}

/**
 * True for a name that is often harmless (`auth.json`, `token.txt`, `appsettings.Production.json`). Such a file is
 * secret only if its text contains a credential.
 */
function mayHoldSecrets(path: string): boolean {
  const lower = path.toLowerCase()
  const slash = lower.lastIndexOf("/")
  const name = lower.slice(slash + 1)
  if (isSource(name)) return SECRET_NOTES.test(name)
  const folder = lower.slice(lower.lastIndexOf("/", slash - 1) + 1, Math.max(slash, 0))
  return isUnclear(name, folder) || namesBehind(name).some((behind) => isUnclear(behind, folder))
}

/** True for a file that is named after secrets and nothing else, such as `passwords.md` or `keys.txt`. */
function isNamedAfterSecrets(path: string): boolean {
  const name = path.toLowerCase().slice(path.lastIndexOf("/") + 1)
  return (
    SECRET_NOTES.test(name) ||
    /^(?:keys?|passwords?|logins?|pins?)\.(?:txt|json|ya?ml|csv|tsv|toml|ini|list|lst|dat)$/.test(name)
  )
}

/**
 * True for an ordinary name with an extension of source code or prose, which no file with secrets has. This decides
 * most files in a tenth of the time that the tables take.
 */
function isSource(lower: string): boolean {
  const first = lower.charCodeAt(0)
  const isPlain = (first >= 97 && first <= 122) || (first >= 48 && first <= 57)
  if (!isPlain || lower.startsWith("id_") || lower.startsWith("ssh_host_")) return false
  return SOURCE_EXTENSIONS.has(lower.slice(lower.lastIndexOf(".") + 1))
}

const SOURCE_EXTENSIONS: ReadonlySet<string> = new Set(
  `ts tsx mts cts js jsx mjs cjs vue svelte astro py pyi ipynb rb rs go c h cc cpp cxx hh hpp hxx m mm java kt kts
  scala groovy clj cljs ex exs erl hs ml mli fs fsx cs vb swift dart lua pl pm r jl zig nim sol v sv vhd el lisp scm
  css scss sass less html htm md mdx rst adoc tex svg png jpg jpeg gif webp ico woff woff2 ttf pdf map snap wasm sql
  graphql proto cmake mk bazel sh bash zsh fish ps1 bat`
    .split(/\s+/)
    .filter(Boolean),
)

/**
 * True for a text that is a private key, whatever the name of the file. A key that is quoted in source code does not
 * count.
 */
export function isPrivateKey(text: string): boolean {
  if (KEY_TEXT.test(text.slice(0, HEAD_CHARACTERS))) return true
  return (
    text.length < MAX_ACCOUNT_LENGTH && SERVICE_ACCOUNT.test(text) && text.includes("-----BEGIN PRIVATE KEY")
  )
}

/**
 * True when the name says that the file contains keys or passwords. `lower` is the name of the file and `folder` that
 * of its parent folder; both in lower case.
 */
function isSecretName(lower: string, folder: string): boolean {
  if (NAMES.has(lower) || IN_FOLDER.has(`${folder}/${lower}`) || PATTERNS.test(lower)) return true
  const dot = lower.lastIndexOf(".")
  if (dot >= 0 && EXTENSIONS.has(lower.slice(dot + 1))) return true
  return (ENVIRONMENT.test(lower) || isSecretData(lower, folder)) && !isTemplate(lower)
}

const FOLDERS: ReadonlySet<string> = new Set([
  ...[".ssh", ".aws", ".gnupg", ".azure", ".kube", ".gcp", ".gcloud", ".oci", ".password-store"],
  ...[".vault", ".keychain", ".databricks", ".snowflake"],
])

// Names of files in which programs store passwords.
const NAMES: ReadonlySet<string> = new Set(
  `.netrc _netrc netrc .authinfo .npmrc .pypirc .pgpass pgpass.conf .my.cnf .mylogin.cnf .htpasswd htpasswd .htdigest
  .git-credentials .gitcredentials .dockercfg .dockerconfigjson .s3cfg .boto .vault-token .terraformrc terraform.rc
  .databrickscfg .rclone.conf rclone.conf .ftpconfig sftp-config.json .smbcredentials .smbpasswd .msmtprc .fetchmailrc
  .mutt_passwords .vault_pass .vault-password .secrets .secret .dev.vars .flaskenv .pwd .passwd .password .passwords
  credentials kubeconfig wallet.dat key.properties keystore.properties wp-config.php .credentials .token .tokens
  application_default_credentials.json credentials.tfrc.json .nuget.config identity.agekey local.settings.json
  .bash_history .zsh_history .sh_history .fish_history .python_history .node_repl_history .psql_history
  .mysql_history .sqlite_history .irb_history .rediscli_history .dbshell .mongorc.js .pgadmin4.db
  .renviron .renviron.site renviron.site settings-security.xml .pushoverrc .twurlrc .s3ql_authinfo .credentials.json .vault-pass`
    .split(/\s+/)
    .filter(Boolean),
)

const IN_FOLDER: ReadonlySet<string> = new Set(
  `.docker/config.json gh/hosts.yml .vscode/sftp.json .streamlit/secrets.toml .gem/credentials gcloud/credentials.db
  gcloud/access_tokens.db gcloud/legacy_credentials .m2/settings.xml .composer/auth.json composer/auth.json
  .codex/auth.json opencode/auth.json .cargo/credentials.toml .subversion/auth doctl/config.yaml hcloud/cli.toml`
    .split(/\s+/)
    .filter(Boolean),
)

const EXTENSIONS: ReadonlySet<string> = new Set(
  `pem key p12 pfx pkcs12 keystore jks jceks bks kdbx kdb ppk p8 ovpn mobileprovision keychain agilekeychain psafe3
  kwallet keyring agekey gpg publishsettings kubeconfig tfstate htpasswd netrc pgpass keytab`
    .split(/\s+/)
    .filter(Boolean),
)

/**
 * Matches "id_rsa", "id_rsa.pub" and "id_ed25519-work", but not "id_rsa_parser.py"; host keys; key files that cloud
 * consoles offer for download; Ansible's "vault_pass.txt"; and lists of passwords.
 */
const PATTERNS = new RegExp(
  [
    "^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-][\\w-]*)?$",
    "^ssh_host_\\w+_key(?:\\.pub)?$",
    "^kubeconfig\\.ya?ml$",
    "\\.tfstate\\.",
    "^client[_-]secrets?[^/]*\\.json$",
    "(?:^|[-_.])service[-_.]?accounts?[-_.]?(?:keys?|creds?|credentials?)?\\.json$",
    "firebase-adminsdk[^/]*\\.json$",
    "^\\.?(?:ansible[-_.]?)?vault[-_.]?pass(?:word|phrase)?(?:[-_.](?:file|prod|production|staging|dev))?(?:\\.txt)?$",
    "^\\.?(?:my[-_. ])?(?:passwords?|passwd|secrets?|credentials?|creds|passphrases?|passw(?:o|ö)rter|zugangsdaten|logins)(?:\\.(?:txt|list|lst|dat|docx?|xlsx?|odt|ods|numbers|pages|rtf|csv|tsv))$",
  ].join("|"),
)

// Matches ".env", ".env.production", ".env-local", "prod.env", "env.production" and ".envrc", but not a declaration of
// their types.
const ENVIRONMENT =
  /^\.env(?:rc)?(?:[._-](?!d\.ts$).*)?$|^\.dev\.vars\..*$|\.env$|^(?:dot)?envs?[._-](?:prod|production|live|stage|staging|dev|devel|development|local|test|testing|qa|uat|preview|ci|docker|secrets?|private|vars)$|^\.?renviron[._-].*$/

/**
 * True for settings that contain only secrets. The file `templates/secrets.yaml` of a chart is excluded, because it
 * only refers to them.
 */
function isSecretData(lower: string, folder: string): boolean {
  return SECRET_DATA.test(lower) && folder !== "templates"
}

const SECRET_DATA = new RegExp(
  [
    "^\\.?(?:(?:gcp|gcloud|google|aws|azure|firebase|db)[._-])?(?:secrets?|credentials?)",
    "(?:[._-](?:prod|production|stage|staging|dev|development|test|local|example|sample|template|schema))?",
    "\\.(?:json|ya?ml|toml|ini|csv|properties)$|^accesskeys?\\.csv$|\\.tfvars(?:\\.json)?$",
  ].join(""),
)

/** Matches notes and pages that are named after secrets. Documentation has such names, too, so that the content decides. */
const SECRET_NOTES =
  /^\.?(?:(?:my|our|prod|production|staging|team|server|db|admin|access|api|private)[-_. ])?(?:passwords?|passwd|pwds?|secrets?|credentials?|creds|passphrases?|logins?|accounts?|tokens?|keys?|pins?|zugangsdaten|passw(?:o|ö)rter)\.(?:mdx?|rst|adoc|html?|tex|ipynb|pdf|sql|sh|ps1|bat)$/

/** True for an example that users read and copy: ".env.example", "sample.env", ".env.production.template". */
function isTemplate(lower: string): boolean {
  return lower.split(/[._-]/).some((word) => TEMPLATE_WORDS.has(word))
}

const TEMPLATE_WORDS: ReadonlySet<string> = new Set([
  ...["example", "examples", "sample", "template", "tmpl", "dist", "default", "defaults", "schema"],
])

function isUnclear(lower: string, folder: string): boolean {
  if (isTemplate(lower)) return false
  return UNCLEAR.test(lower) || UNCLEAR_IN_FOLDER.test(`${folder}/${lower}`)
}

/**
 * Matches names that may contain secrets: settings of programs that may contain tokens; data named after a secret
 * (`my-tokens.json`, `db-password.txt`, `k8s-secret.yaml`); and certificates, which may include their key.
 */
const UNCLEAR = new RegExp(
  [
    "(?:^|[-_. ])(?:auth|oauth|secrets?|credentials?|creds|passwords?|passwd|pass|tokens?|logins?|accounts?|(?:(?:api|access|license|private|secret)[-_.]?)?keys?|pat)(?:[-_.](?:prod|production|stage|staging|dev|development|test|local|file|data|config|\\d+))?(?:\\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|config|properties|txt|csv|xml|plist|list|dat|log))?$",
    "^\\.?mcp(?:[-_.]?(?:config|servers|settings))?\\.json$|^claude_desktop_config\\.json$|^\\.claude\\.json$",
    "^settings\\.local\\.json$|^opencode\\.jsonc?$|^\\.aider\\.conf\\.yml$",
    "^appsettings(?:\\..+)?\\.json$|^(?:web|app|nuget)(?:\\..+)?\\.config$|^usersecrets\\.json$|^launchsettings\\.json$",
    "^application(?:-[\\w-]+)?\\.(?:properties|ya?ml)$|^(?:gradle|local|signing|release|sonar-project)\\.properties$",
    "^database\\.ya?ml$|^\\.yarnrc(?:\\.yml)?$|^pip\\.(?:conf|ini)$|^\\.gitconfig$|^my\\.cnf$|^\\.?odbc\\.ini$",
    "^\\.?s3cmd\\.ini$|^\\.?wgetrc$|^\\.?curlrc$|^\\.?muttrc$|^\\.?offlineimaprc$|^settings\\.xml$|^\\.?irssi\\.conf$",
    "\\.(?:crt|cer|cert|chain|asc|ps1xml|reg|rdp|ovpn|conf\\.local)$",
  ].join("|"),
)

const UNCLEAR_IN_FOLDER =
  /^\.(?:claude|cursor|gemini|codex|vscode|continue|aider|qwen|windsurf|bundle|cargo|config)\/(?:config|settings|mcp)(?:\.(?:json|jsonc|toml|ya?ml))?$/

const HEAD_CHARACTERS = 500
/** Maximum length in characters of an account key that was downloaded. Such files have about 2,400 bytes. */
const MAX_ACCOUNT_LENGTH = 10_000
const KEY_TEXT =
  /^\s*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|^PuTTY-User-Key-File-\d|^(?:#.*\n)*AGE-SECRET-KEY-1|^\s*Bag Attributes\n[\s\S]{0,400}-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY/
const SERVICE_ACCOUNT = /^\s*\{[^{}]*"type":\s*"service_account"/

/**
 * The names that result when the additions of editors, backups, archives and file managers are removed from a name one
 * after the other. Empty if the name has no additions. `lower` must be in lower case.
 */
function namesBehind(lower: string): readonly string[] {
  if (!ADDED.test(lower)) return NONE
  const found = new Set<string>()
  let waiting = [lower]
  for (let round = 0; round < 6 && waiting.length > 0; round++) {
    const next = waiting.flatMap(withoutOneAddition).filter((name) => name !== "" && !found.has(name))
    for (const name of next) found.add(name)
    waiting = next
  }
  return [...found]
}

const NONE: readonly string[] = []

function withoutOneAddition(name: string): string[] {
  return ADDITIONS.flatMap(([added, kept]) => {
    const rest = name.replace(added, kept)
    return rest === name ? [] : [rest]
  })
}

const BACKUP_WORDS =
  "bak|backup|bkp|bkup|bck|bk|old|orig|original|save|saved|sav|copy|copie|kopie|copia|prev|previous|tmp|temp|new|disabled|off"
const PACKAGE_WORDS =
  "rej|mine|theirs|base|remote|local-copy|dpkg-(?:old|dist|new|bak)|ucf-(?:old|dist|new)|rpm(?:save|new|orig)|pac(?:save|new|orig)"
const ARCHIVE_WORDS = "zip|gz|tgz|bz2|tbz2?|xz|txz|zst|tzst|lz4|lzma|br|z|7z|rar|tar"

/**
 * Patterns of additions, and what replaces them. The original extension may come after the addition: "secrets.bak.yml".
 */
const ADDITIONS: readonly (readonly [added: RegExp, kept: string])[] = [
  // Emacs: "#x#", ".#x", "x~", "x.~1~". Also AppleDouble and Office, and a blank or dot at the end, which Windows
  // drops.
  [/^#(.+)#$/, "$1"],
  [/^(?:\.#|\._|~\$|#|~)(?=.)/, ""],
  [/(?:\.~\d+~|~+|[ .]+|#)$/, ""],
  // Git's "x~HEAD" for one of the two sides of a merge.
  [/~[\w./-]{1,80}$/, ""],
  // Vim: ".x.swp" for "x", and ".env.swp" for ".env".
  [/^\.?(.+)\.(?:sw[a-px]|un~)$/, "$1"],
  [/\.(?:sw[a-px]|un~)$/, ""],
  [
    new RegExp(
      `(?:[._-]| +(?:- +)?)(?:${BACKUP_WORDS})(?:[._ -]?\\(?\\d{1,14}\\)?)?(?=$|\\.[a-z0-9]{1,10}$)`,
    ),
    "",
  ],
  [new RegExp(`\\.(?:${PACKAGE_WORDS}|${ARCHIVE_WORDS}|part|crdownload|download)$`), ""],
  // "copy of x", "backup-x", "old.x"
  [/^(?:copy(?: \(\d+\))? of|backup(?: copy)? of|kopie von|copie de|copia de)[ _-]+/, ""],
  [/^(?:backup|bak|old|copy|orig|tmp|temp|new)[._ -]+(?=[.\w])/, ""],
  // Copies with a number or a date: "x.1", "x.20260102-1530", "x_2026-01-02.yml", "x (1).yml", "x[2]"
  [/\.\d{1,14}$/, ""],
  [/[._-]\d{4}[._-]?\d\d[._-]?\d\d(?:[._t-]?\d\d[._:-]?\d\d(?:[._:-]?\d\d)?z?)?(?=$|\.[a-z0-9]{1,10}$)/, ""],
  [/ ?[([]\d{1,4}[)\]](?=$|\.[a-z0-9]{1,10}$)/, ""],
  // Syncthing, Dropbox, Nextcloud
  [/\.sync-conflict-[\w-]+(?=$|\.)/, ""],
  [/ ?\([^()]{0,60}conflict[^()]{0,60}\)/, ""],
  // Keys are often renamed to text files before they are sent by mail.
  [/\.(?:txt|text)$/, ""],
]

/** Matches if one of the additions may match; a fast path for ordinary names. */
const ADDED = new RegExp(
  [
    "^[#~]|^\\.[#_]|~|[# .]$|[()[\\]]|conflict|\\.(?:txt|text|sw[a-px]|part|crdownload|download)$|\\.\\d{1,14}$",
    `[._ -](?:${BACKUP_WORDS})(?![a-z])|\\.(?:${PACKAGE_WORDS}|${ARCHIVE_WORDS})$`,
    "^(?:copy|backup|bak|old|orig|tmp|temp|new|kopie|copie|copia)[ ._-]|\\d{4}[._-]?\\d\\d[._-]?\\d\\d",
  ].join("|"),
)
