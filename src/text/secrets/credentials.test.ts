import { expect, test } from "bun:test"
import { cpuTime } from "../../../test/cpu-time.ts"
import { findCredential, refuseCredential } from "./credentials.ts"

// Assembled here, so that secret scanners do not report this file.
const SOME = "Zk3vQ9xT1mB7nL5pW2rY8cD4fG6hJ0sAeU"
const HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
const of = (...parts: string[]) => parts.join("")

const CREDENTIALS: readonly [kind: string, text: string][] = [
  ["an AWS access key", of("AKI", "A2E4GH6JKLMN7PQ5S")],
  ["a GitHub token", of("gh", "p_", SOME, "Ab")],
  ["a GitHub token", of("github", "_pat_11ABCDE", SOME, "_", SOME)],
  ["a GitLab token", of("glp", "at-", SOME.slice(0, 20))],
  ["a Slack token", of("xo", "xb-2345678901-2345678901-", SOME.slice(0, 24))],
  ["a Google API key", of("AI", "za", SOME, "x")],
  ["a Stripe key", of("sk_", "live_", SOME.slice(0, 24))],
  ["an Anthropic key", of("sk-", "ant-api03-", SOME)],
  ["an OpenAI key", of("sk-", "proj-", SOME, SOME)],
  ["an API key", of("sk-", SOME, SOME.slice(0, 14))],
  ["a Hugging Face token", of("hf", "_", SOME)],
  ["an npm token", of("np", "m_", SOME, "Ab")],
  ["a PyPI token", of("pyp", "i-AgEIcHlwaS5vcmc", SOME, SOME)],
  ["a JSON web token", of("ey", "JhbGciOiJIUzI1NiJ9.", "eyJ", "zdWIiOiI0MiJ9Cg.", SOME)],
  ["a private key", of("-----BEGIN RSA PRIV", "ATE KEY-----\n", SOME, SOME, "\n")],
  ["a private key", of("-----BEGIN OPENSSH PRIV", "ATE KEY-----\n", SOME, SOME, "\n")],
  ["a password or key", of("pass", "word=", SOME.slice(0, 14))],
  ["a password or key", of("pass", "word=", "hunter2", "secretX9")],
  ["a password or key", of("Pass", "wort: geheim123")],
  ["a password or key", of("Contra", "seña: caballo42")],
  ["a password or key", of("le mot de ", "passe = cheval42")],
  ["a password or key", of('"api_key": "', HEX.slice(0, 32), '"')],
  ["a password or key", of("aws_secret_access_key = ", SOME, "/K7+q")],
  ["a password or key", of("CLIENT_SECRET: ", SOME.slice(0, 12), "-", SOME.slice(12, 20))],
  ["a password or key", of("the database pass", "word is `", SOME.slice(0, 14), "` since May")],
  ["a password or key", of("the pass", "word is: ", SOME.slice(0, 14))],
  ["a password or key", of("the pass", "word is **", SOME.slice(0, 14), "**.")],
  ["a password or key", of("the pass", "phrase is **`", SOME.slice(0, 14), "`**")],
  ["a password or key", of("the pass", "word is now ", SOME.slice(0, 14))],
  ["a password or key", of("the pass", "word for db is ", SOME.slice(0, 14))],
  ["a password or key", of("the pass", "word for the staging database was now: ", SOME.slice(0, 14))],
  ["a password or key", of("the pass", "word is argon2id-", SOME.slice(0, 14))],
  ["an authorization header", of("Author", "ization: Bearer ", SOME)],
  ["an authorization header", of("curl -H 'Author", "ization: Basic ", SOME, "=='")],
  ["a password in an address", of("postgres://app:", SOME.slice(0, 12), "@db.internal/main")],
]

test.each(CREDENTIALS)("finds %s", (kind, secret) => {
  expect(findCredential(`The key\nwe use is ${secret} since May`)).toEqual({ kind, line: 2 })
})

test.each([
  of("pass", "word: swordfish"),
  of("DB_PASS", "WORD=zebra-lamp-44"),
  of("the admin pass", "word hunter22 works on db2"),
  of("pass", "wd=opensesame"),
  of("pw", "d: 4711"),
  of("sec", "ret: platypus"),
  of("tok", "en=walrus-sofa-12"),
  of("user admin, pass", "word: monkeys, host db1"),
  of("SMTP_PA", "SS=geheimnis"),
  of("pass", "word: marmalade for staging"),
  of("Pass", "word: correct-horse-battery-staple"),
  of("the pass", "word: `marmalade`."),
  of("数据库的密", "码是Kx88wqzt，请勿外传"),
  of("密", "码：Kx88wqzt1"),
  of("パスワ", "ード: Kx88wqzt1"),
  of("пар", "оль: Kx88wqzt1"),
  of("wacht", "woord = Kx88wqzt1"),
  of("cred", "entials: admin/Adm1n-123"),
  of("lo", "gin: ann / hunter22"),
  of("user/pa", "ss = bob:hunter22"),
  of("Zugangs", "daten: admin/Adm1n-123"),
  of("pass", "word → Adm1n-123"),
  of("pass", "word → swordfish"),
  of("pass", "word -> Adm1n-123"),
  of("Das Pass", "wort lautet geheim-77"),
  of("Das Pass", "wort für db2 lautet: Kx88wqzt"),
  of("Pass", "wort ist „geheim77“"),
  of("mot de ", "passe : cheval42"),
  of("mot de ", "passe\u00a0: «cheval»"),
  of("le mot de ", "passe de la base est cheval42"),
  of("la contra", "seña de prod es caballo42"),
  of("a sen", "ha é cavalo42x"),
  of("la pass", "word è cavallo42"),
  of("wacht", "woord is Kx88wqzt1"),
  of("the pass", "word of the staging db is hunter22"),
])("finds the stated secret of %p", (text) => {
  expect(findCredential(`first line\n${text}`)).toEqual({ kind: "a password or key", line: 2 })
})

test.each([
  "the password is stored hashed",
  "the cache key d41d8cd98f00b204e9800998ecf8427e is the hash of an empty file",
  "the access token format changed in commit 3f786850e387550fdab836ed7e6dc881de23001b",
  "password: min 8 characters",
  "token: the JWT of the user",
  "password: required for admins",
  "Password: case-sensitive",
  "password: rotated",
  "password reset2 and password field2 are tests",
  "passwords: hashed with bcrypt",
  "password: SecretStr",
  "password = getpass()",
  "secret: kept in Vault",
  "secret: db-credentials",
  "token: opaque",
  "token: valid for 15 minutes",
  "max_tokens=4096, tokens: 1500",
  "const token = nextToken",
  "first pass: tokenizer, second pass: types",
  "tests pass: 5776",
  "bypass: enabled; compass: north",
  "password: $DB_PASSWORD, secret: ${SECRET}, token: <token>, pwd: %PWD%",
  "password: changeme, password: xxxx, password=password, secret: none",
  "the password for alice2 expires",
  "the password was changed in 2024",
  "密码：必须至少12个字符",
  "密码是hash2(salt)",
  "пароль: $DB_PASSWORD",
  "wachtwoord: minimaal 8 tekens",
  "the password is never logged",
  "password must be 12 characters",
  "credentials: see the vault, folder team/db2",
  "credentials: stored in ~/.aws/credentials2",
  "credentials: secrets/db2.yaml, login: api/v2-beta",
  "login: OAuth2/OIDC, logins: 12/day",
  "login: /api/v1/session2",
  "logins: 4711/9999 failed",
  "user/password: required since 2.1",
  "username/password → OAuth2, password → PASSWORD_HASH",
  "password -> hash2(salt) -> stored",
  "Das Passwort ist mindestens 12 Zeichen lang und wird nie protokolliert",
  "Das Passwort lautet nach dem Update anders",
  "Das Passwort für Konten ist seit Version 2.3 verschlüsselt",
  "mot de passe : obligatoire depuis la version 3",
  "le mot de passe est chiffré avec argon2id",
  "le mot de passe de 12 caractères est vérifié",
  "la contraseña es obligatoria desde 2024",
  "la contraseña de la base es cifrada con SHA-256",
  "a senha é obrigatória",
  "la password è obbligatoria",
  "wachtwoord is verplicht sinds 2024",
  "hasło to co najmniej 8 znaków",
  "the password of a user is set in step 2 of the form",
  "the password for the first 3 users is reset weekly",
  "passwords for 2 accounts were rotated to comply with ISO27001",
  "credentials: rotate every 90 days / 4 times a year",
  "the login: 3 steps; logins: users/sessions",
])("does not take %p for a stated secret", (text) => {
  expect(findCredential(text)).toBeNull()
})

test.each([
  "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes it",
  `sha256 ${HEX}`,
  "request 123e4567-e89b-42d3-a456-426614174000 failed",
  "integrity sha512-oAkQJ0VzGkJ1yq1mCXk3H0iUjz0a8yP2bF0qj3xS7bqQ2vK9wq8Jm1D0xY6lqv3V8b1R6yqP7uJm3y5gQ==",
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "const token = await getToken2(request.headers)",
  "password: string; token?: Token2; secret = process.env.SECRET_V2",
  "set API_KEY=$PROD_API_KEY2 and password=$DB_PASSWORD_1",
  "secret: <your-secret-here-1>",
  "token: YOUR_TOKEN_HERE_123",
  "export PASSWORD=changeme123",
  "Authorization: Bearer <token>",
  "Authorization: Bearer YOUR_ACCESS_TOKEN_1",
  "postgres://user:password@localhost:5432/db",
  "AKIAIOSFODNN7EXAMPLE is the one of the documentation",
  "a file that starts with -----BEGIN PRIVATE KEY----- is refused",
  "The bearer authentication2factor is off; basic configuration2025 is on",
  "the token: accessTokenVersion2, then password = userPassword1Field",
  "sk-learn and task-sk-abcdefghij are packages; ghp_short is none",
  "secret key = src/config/keys2.ts",
  "password: minimum 12 characters",
  "Passwort: mindestens zwölf Zeichen",
  "the password is bcrypt12-hashed, the old passphrase was changed2024",
  "the password is kept in vault/production/db2",
  "the password is pbkdf2-sha256 with 600000 rounds, and was NTLMv2-hashed in 2019",
  "the password was NTLMv2-hashed in 2019",
  "the password is HKDF-SHA256 stretched",
  "the password is RFC2898-derived",
  "the password is now argon2id/m=64MB",
  "the password for db is **argon2id/m=64MB**",
  "the password is K8S_DB_SECRET_2",
  "the password was CVE-2024-12345-affected",
  "the passphrase is ed25519-specific",
  "the password was PR#1234/commit",
  "the password is Zk3vQ9xT1***",
  "the key of cache entries is token:page:12:v3",
  "token = 2026-11-21T20:00:00Z",
  "export const TOKENS = { accent: oklch(0.7 0.1 250) }",
])("does not report %p", (text) => {
  expect(findCredential(text)).toBeNull()
})

test.each([
  "password is ",
  "password for ",
  "password for a b",
  "password is now:",
  "password is **",
  "password is a1/",
  "password: ",
  "secret=",
  "a_",
  "password for a b of c ",
  "credentials: a/",
  "user / pass: a / ",
  "cookie: a=b; ",
  "log in as a with a1/",
])("takes time proportional to the length for 250 KB of %p", (piece) => {
  const rest = [" ", "a", "1a.", "-", "A_1", "for ", ".:!?", "**!"].map(
    (more) => piece + more.repeat(400 / more.length),
  )
  for (const hostile of [piece, ...rest, `${piece}${"a1".repeat(5)} `]) {
    const text = hostile.repeat(250_000 / hostile.length)
    const started = cpuTime()
    findCredential(`${text}!`)
    expect(cpuTime() - started).toBeLessThan(750)
  }
})

test("names the line and the kind in the refusal, never the secret", () => {
  const secret = of("gh", "p_", SOME, "Ab")
  try {
    refuseCredential(`a\nb ${secret}`, 7)
    expect.unreachable()
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint: string }
    expect(code).toBe("CREDENTIAL")
    expect(message).toBe("entry 7, line 2 looks like a GitHub token, so nothing was stored")
    expect(`${message}${hint}`).not.toContain(SOME.slice(0, 6))
  }
})
