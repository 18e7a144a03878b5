import { describe, expect, test } from "bun:test"
import { isPrivateKey, isSecretPath } from "./secret-paths.ts"

const SECRET = `
.env .env.local .env.production .env-staging .env_old .envrc .ENV prod.env .dev.vars .dev.vars.production
server.pem a/tls.key x.p12 A.PFX release.keystore passwords.kdbx AuthKey_1.p8 work.ovpn key.gpg
id_rsa id_ed25519.pub id_rsa-work id_ecdsa_sk ssh_host_rsa_key ssh_host_ed25519_key.pub
home/.ssh/known_hosts .aws/credentials deep/.gnupg/x/y .azure/config .kube/config .GCP/x
.npmrc .pypirc .netrc _netrc .git-credentials .pgpass .htpasswd .docker/config.json .config/gh/hosts.yml
.bash_history .vault_pass wp-config.php rclone.conf .vscode/sftp.json .streamlit/secrets.toml
main.tfstate main.tfstate.backup terraform.tfvars prod.auto.tfvars.json kubeconfig kubeconfig.yml dev.kubeconfig
credentials.json config/credentials.yml aws-credentials.csv accessKeys.csv secrets.yml secrets.prod.json
client_secret_123.apps.googleusercontent.com.json service-account.json app-service_account_key.json
serviceAccountKey.json shop-firebase-adminsdk-x1-ab.json application_default_credentials.json
android/key.properties local.secrets/.env
`

const ORDINARY = `
.env.example .env.sample example.env .env.production.template .env.d.ts env.d.ts .env.defaults config/prod.env.js
secrets.ts secrets.go secret.rs credentials.py Credentials.java password_reset.ts token.ts tokens.json auth_token.rb
schema.sql keys.go keyring.c src/env/a.ts id_rsa_parser.py environment.ts keyboard.keymap ssh/config.rs kube/config.go
aws/credentials.go src/secrets/vault.ts secrets.md credentials_controller.rb activity_credentials.xml secret.tsx
chart/templates/secrets.yaml secrets.example.yml credentials.sample.json example.tfvars external-secrets-operator.yaml
service_account.py service-accounts.md client_secrets.py history.ts .gitignore .editorconfig .npmignore docker/config.json
hosts.yml config.json kubeconfig.go pemfile.rs key.ts key.md crt.pem.ts
`

const words = (text: string) => text.split(/\s+/).filter(Boolean)

describe("recognises files with secrets by their names", () => {
  test.each(words(SECRET))("%s", (path) => expect(isSecretPath(path)).toBe(true))
})

describe("does not report ordinary source files", () => {
  test.each(words(ORDINARY))("%s", (path) => expect(isSecretPath(path)).toBe(false))
})

describe("recognises a private key by its text under any file name", () => {
  const dashes = "-----"
  test.each([
    `${dashes}BEGIN PRIVATE KEY${dashes}\nMIIE`,
    `\n${dashes}BEGIN RSA PRIVATE KEY${dashes}\n`,
    `${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}\n`,
    `${dashes}BEGIN PGP PRIVATE KEY BLOCK${dashes}\n`,
    "PuTTY-User-Key-File-3: ssh-ed25519\n",
    "# created: today\n# public key: age1\nAGE-SECRET-KEY-1ABC\n",
    `{\n  "type": "service_account",\n  "private_key": "${dashes}BEGIN PRIVATE KEY${dashes}\\n"\n}`,
  ])("%j", (text) => expect(isPrivateKey(text)).toBe(true))

  test.each([
    `const TEST_KEY = "${dashes}BEGIN PRIVATE KEY${dashes}"\n`,
    `${dashes}BEGIN CERTIFICATE${dashes}\n`,
    `${dashes}BEGIN PUBLIC KEY${dashes}\n`,
    "# How to make a key\n\nAGE-SECRET-KEY- is how it begins\n",
    '{ "type": "service_account" }',
  ])("but not %j", (text) => expect(isPrivateKey(text)).toBe(false))
})
