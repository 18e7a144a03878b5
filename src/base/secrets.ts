/**
 * True for a path that by its name holds keys or passwords: such a file is neither indexed nor shown. Source code
 * about secrets (`secrets.ts`, `password_reset.py`) is not meant.
 */
export function isSecretPath(path: string): boolean {
  const parts = path.split("/")
  const name = parts.pop() ?? ""
  return isSecretFile(name, parts.at(-1)) || parts.some(isSecretFolder)
}

export function isSecretFolder(name: string): boolean {
  return FOLDERS.has(name.toLowerCase())
}

/** `folder` is the name of the one that it stands in. */
export function isSecretFile(name: string, folder = ""): boolean {
  const lower = name.toLowerCase()
  if (NAMES.has(lower) || IN_FOLDER.has(`${folder.toLowerCase()}/${lower}`) || PATTERNS.test(lower))
    return true
  const dot = lower.lastIndexOf(".")
  if (dot >= 0 && EXTENSIONS.has(lower.slice(dot + 1))) return true
  return (ENVIRONMENT.test(lower) || isSecretData(lower, folder)) && !isTemplate(lower)
}

/** True for a text that is a private key, whatever its file is called. Keys quoted in source code are not meant. */
export function isPrivateKey(text: string): boolean {
  if (KEY_TEXT.test(text.slice(0, HEAD_CHARACTERS))) return true
  return (
    text.length < LONGEST_ACCOUNT && SERVICE_ACCOUNT.test(text) && text.includes("-----BEGIN PRIVATE KEY")
  )
}

const FOLDERS: ReadonlySet<string> = new Set([
  ...[".ssh", ".aws", ".gnupg", ".azure", ".kube", ".gcp", ".gcloud", ".oci", ".password-store"],
  ...[".vault", ".keychain", ".databricks", ".snowflake"],
])

// Named after the program that keeps its passwords there.
const NAMES: ReadonlySet<string> = new Set([
  ...[
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".mylogin.cnf",
    ".htpasswd",
  ],
  ...[".git-credentials", ".dockercfg", ".s3cfg", ".boto", ".vault-token", ".terraformrc", "terraform.rc"],
  ...[".databrickscfg", ".rclone.conf", "rclone.conf", ".ftpconfig", "sftp-config.json", ".smbcredentials"],
  ...[
    ".msmtprc",
    ".fetchmailrc",
    ".vault_pass",
    ".vault_pass.txt",
    ".vault-password",
    ".secrets",
    ".dev.vars",
  ],
  ...["credentials", "kubeconfig", "wallet.dat", "key.properties", "keystore.properties", "wp-config.php"],
  ...["application_default_credentials.json", "credentials.tfrc.json", ".nuget.config", "identity.agekey"],
  ...[
    ".bash_history",
    ".zsh_history",
    ".sh_history",
    ".fish_history",
    ".python_history",
    ".node_repl_history",
  ],
  ...[".psql_history", ".mysql_history", ".sqlite_history", ".irb_history", ".rediscli_history", ".dbshell"],
])

const IN_FOLDER: ReadonlySet<string> = new Set([
  ...[
    ".docker/config.json",
    "gh/hosts.yml",
    ".vscode/sftp.json",
    ".streamlit/secrets.toml",
    ".gem/credentials",
  ],
  ...["gcloud/credentials.db", "gcloud/access_tokens.db", "gcloud/legacy_credentials"],
])

const EXTENSIONS: ReadonlySet<string> = new Set([
  ...["pem", "key", "p12", "pfx", "pkcs12", "keystore", "jks", "bks", "kdbx", "kdb", "ppk", "p8", "ovpn"],
  ...["mobileprovision", "keychain", "agilekeychain", "psafe3", "kwallet", "keyring", "agekey", "gpg"],
  ...["publishsettings", "kubeconfig", "tfstate"],
])

/**
 * "id_rsa", "id_rsa.pub", "id_ed25519-work", but not "id_rsa_parser.py"; a host's keys; what the consoles of cloud
 * providers offer for download.
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
  ].join("|"),
)

// ".env", ".env.production", ".env-local", "prod.env", ".envrc", but not a declaration of their types.
const ENVIRONMENT = /^\.env(?:rc)?(?:[._-](?!d\.ts$).*)?$|^\.dev\.vars\..*$|\.env$/

/** Settings that hold nothing but secrets. A chart's `templates/secrets.yaml` says where they come from. */
function isSecretData(lower: string, folder: string): boolean {
  return SECRET_DATA.test(lower) && folder !== "templates"
}

const SECRET_DATA = new RegExp(
  [
    "^(?:(?:gcp|gcloud|google|aws|azure|firebase|db)[._-])?(?:secrets?|credentials?)",
    "(?:[._-](?:prod|production|stage|staging|dev|development|test|local|example|sample|template|schema))?",
    "\\.(?:json|ya?ml|toml|ini|csv|properties)$|^accesskeys?\\.csv$|\\.tfvars(?:\\.json)?$",
  ].join(""),
)

/** An example that is meant to be read and copied: ".env.example", "sample.env", ".env.production.template". */
function isTemplate(lower: string): boolean {
  return lower.split(/[._-]/).some((word) => TEMPLATE_WORDS.has(word))
}

const TEMPLATE_WORDS: ReadonlySet<string> = new Set([
  ...["example", "examples", "sample", "template", "tmpl", "dist", "default", "defaults", "schema"],
])

const HEAD_CHARACTERS = 500
/** Downloaded key files have about 2,400 bytes. */
const LONGEST_ACCOUNT = 10_000
const KEY_TEXT =
  /^\s*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|^PuTTY-User-Key-File-\d|^(?:#.*\n)*AGE-SECRET-KEY-1/
const SERVICE_ACCOUNT = /^\s*\{[^{}]*"type":\s*"service_account"/
