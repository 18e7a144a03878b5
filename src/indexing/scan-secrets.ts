/**
 * True for a path that by its name holds keys or passwords: such a file is neither indexed nor shown. Source code
 * about secrets (`secrets.ts`, `password_reset.py`) is not meant.
 */
export function isSecretPath(path: string): boolean {
  const parts = path.split("/")
  const name = parts.pop() ?? ""
  return isSecretFile(name) || parts.some(isSecretFolder)
}

export function isSecretFolder(name: string): boolean {
  return FOLDERS.has(name.toLowerCase())
}

export function isSecretFile(name: string): boolean {
  const lower = name.toLowerCase()
  if (NAMES.has(lower) || KEY_PAIR.test(lower)) return true
  if (lower.startsWith(".env.") || lower === ".env" || lower.endsWith(".env")) return !isTemplate(lower)
  const dot = lower.lastIndexOf(".")
  return dot >= 0 && EXTENSIONS.has(lower.slice(dot + 1))
}

const FOLDERS: ReadonlySet<string> = new Set([".ssh", ".aws", ".gnupg", ".azure", ".kube", ".password-store"])

const NAMES: ReadonlySet<string> = new Set([
  ...[".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"],
  ...[".git-credentials", ".dockercfg", ".s3cfg", ".boto", ".vault-token", ".terraformrc", "terraform.rc"],
  ...["application_default_credentials.json", "serviceaccountkey.json"],
])

const EXTENSIONS: ReadonlySet<string> = new Set([
  ...["pem", "key", "p12", "pfx", "pkcs12", "keystore", "jks", "kdbx", "ppk", "p8", "tfstate", "ovpn"],
  ...["mobileprovision", "keychain", "agekey"],
])

// "id_rsa", "id_rsa.pub", "id_ed25519-work", but not "id_rsa_parser.py".
const KEY_PAIR = /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?([._-][\w-]*)?$/

/** An example that is meant to be read and copied: ".env.example", "sample.env", ".env.production.template". */
function isTemplate(lower: string): boolean {
  return lower.split(/[._-]/).some((word) => TEMPLATE_WORDS.has(word))
}

const TEMPLATE_WORDS: ReadonlySet<string> = new Set([
  "example",
  "sample",
  "template",
  "tmpl",
  "dist",
  "defaults",
  "schema",
])
