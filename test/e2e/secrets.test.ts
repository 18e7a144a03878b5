import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { credentialFormats } from "../credential-formats.ts"
import { commit, git } from "../git-repository.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

setDefaultTimeout(60_000)

/** A word that occurs only in files with secrets. */
const MARKER = "zebrafinch77"

/** Names of secret files, whatever they contain. */
const SECRET = [
  ...[
    ".env",
    ".env~",
    "#.env#",
    ".env.bak",
    ".env.swp",
    ".env.old",
    ".env.1",
    ".env copy",
    "Copy of .env",
    ".env (1)",
  ],
  ...[
    ".flaskenv",
    "prod.env",
    "vault_pass.txt",
    ".vault_pass",
    "server.key",
    "server.key.bak",
    "server.pem~",
  ],
  ...[
    "id_rsa",
    "id_rsa.bak",
    "id_ed25519 copy",
    ".netrc",
    ".netrc.orig",
    ".htpasswd",
    ".htpasswd.save",
    ".pgpass",
  ],
  ...[
    "secrets.yml",
    "secrets.yml.bak",
    "secrets.bak.yml",
    "secrets (1).yml",
    "secrets - Copy.yml",
    "secrets_old.yml",
  ],
  ...[
    "config/credentials.json.2026-01-02",
    ".m2/settings.xml",
    ".docker/config.json.bak",
    ".codex/auth.json",
  ],
  ...[
    "terraform.tfvars.bak",
    "passwords.txt",
    ".aws/anything",
    "secrets.sync-conflict-20260101-120000-AB.yml",
  ],
  ...[
    ".Renviron",
    ".Renviron.site",
    "env.production",
    "env.local",
    "deploy/env-prod",
    "logins.csv",
    "passwords.list",
  ],
]

/** Files whose names do not show whether they are secret. Their contents are secret, and the content decides. */
const UNCLEAR: Readonly<Record<string, string>> = {
  "auth.json": `{"${MARKER}": {"type": "oauth", "refresh": "r9xk2mv84tqp1"}}`,
  "token.txt": `${MARKER}-q8\n`,
  "appsettings.Production.json": `{"Name": "${MARKER}", "Db": "Server=db;Password=${["Win", "ter2026!"].join("")}"}`,
  ".mcp.json": `{"mcpServers": {"x": {"command": "${MARKER}", "env": {"API_KEY": "k9x2mv84tqp17ab3"}}}}`,
  "deploy/db-secret.yaml": `# ${MARKER}\nkind: Secret\ndata:\n  password: aHVudGVy\n`,
  "passwords.md": `# ${MARKER}\n\n- mail: ${["Som", "mer2026!"].join("")}\n`,
  "ops/logins.md": `| ${MARKER} | user | |\n|---|---|---|\n| db | ann | ${["k9x2", "Mv84tq"].join("")} |\n`,
  "keys.txt": `${MARKER}\nprod ${"7d52a8c63648316295e4e5c1a450dd1d"}\n`,
  "key.json": `{"${MARKER}": {"value": "${["k9X2mV84", "tQp17aB3"].join("")}"}}`,
  "auth.json.bak": `{"${MARKER}": {"access_token": "r9xk2mv84tqp1"}}`,
}

const HARMLESS: Readonly<Record<string, string>> = {
  "i18n/auth.json":
    '{"login": "Log in", "password": "Passwort", "invalid_token": "heron: the token is invalid"}',
  "design/tokens.json": '{"color": {"accent": "#ff7711", "note": "heron"}}',
  "appsettings.json": '{"Logging": {"Level": "heron"}, "Password": "$(DB_PASSWORD)"}',
  "mcp.json": '{"mcpServers": {"heron": {"command": "npx", "env": {"API_KEY": "$(API_KEY)"}}}}',
  ".env.example": "HERON_TOKEN=heron\nPASSWORD=changeme\n",
  "docs/passwords.md": "# heron\n\nPasswords: at least 12 characters, hashed with argon2id in 2026.\n",
  "docs/keys.md": "# Keys\n\nheron: `Ctrl+K` opens it since 1.2.3, see commit 4f2a9c01b7.\n",
  "i18n/keys.json": '{"login.title": "heron", "step2": "Log in", "version": "v2.1.0"}',
  "src/token.ts": "export const heron = 1\n",
  "src/auth.ts": "export const auth = 'heron'\n",
  "secrets.go": "package main // heron\n",
  "keys/deploy.pub": "ssh-ed25519 AAAA heron\n",
}

function shop(): Workspace {
  const space = new Workspace({ "package.json": "{}", ...UNCLEAR, ...HARMLESS })
  for (const name of SECRET) space.write(name, `note = ${MARKER}\n`)
  return space
}

describe("files with secrets", () => {
  test("are not indexed, found, read or imported, by name or by content", async () => {
    using space = shop()
    const report = await space.json(["index"])
    expect(report.skipped.secret ?? report.notices).toBeGreaterThan(SECRET.length - 5)
    expect(await space.run(["grep", MARKER])).toMatchObject({ code: 1, stdout: "" })
    expect((await space.run(["search", MARKER])).stdout).not.toContain(MARKER)
    expect((await space.run(["context", MARKER])).stdout).not.toContain(MARKER)
    for (const name of [...SECRET, ...Object.keys(UNCLEAR)]) {
      const read = await space.run(["read", name])
      expect([name, read.code === 0, read.stderr.includes("may hold secrets")]).toEqual([name, false, true])
    }
  })

  test("are distinguished from harmless files with similar names, which stay readable", async () => {
    using space = shop()
    const { stdout } = await space.run(["grep", "-l", "-i", "heron"])
    expect(stdout.trim().split("\n").sort()).toEqual(Object.keys(HARMLESS).sort())
    expect((await space.json(["search", "heron"])).results.length).toBeGreaterThan(3)
  })

  test("leave the index when a secret is added to a harmless file", async () => {
    using space = new Workspace({ "package.json": "{}", "auth.json": '{"kestrel": "Log in"}' })
    expect((await space.run(["search", "kestrel"])).stdout).toContain("auth.json")
    space.write("auth.json", '{"kestrel": "Log in", "refresh_token": "r9xk2mv84tqp1"}')
    expect((await space.run(["search", "kestrel"])).stdout).not.toContain("auth.json")
    expect((await space.json(["status"])).skipped.secret).toBe(1)
  })

  test("are refused by import, for a person and an agent, also behind a link and in a folder", async () => {
    using space = shop()
    space.write("notes/plain.md", "# Notes\n\nThe heron is grey.\n")
    space.write("notes/token.txt", `${MARKER}-q8\n`)
    symlinkSync(join(space.project, ".netrc"), join(space.project, "innocent.md"))
    const names = [
      ".netrc",
      ".htpasswd",
      "secrets.yml",
      "id_rsa",
      "auth.json",
      "token.txt",
      "innocent.md",
      "server.key.bak",
    ]
    for (const name of names) {
      const imported = await space.run(["memory", "import", name])
      expect([name, imported.code === 0, imported.stderr]).toEqual([
        name,
        false,
        expect.stringContaining("may hold secrets"),
      ])
    }
    expect((await space.run(["remember", "--batch", ".env"])).stderr).toContain("may hold secrets")
    await using server = await connect(space)
    for (const path of names) {
      const answer = await server.call("knowledge", { action: "import", path })
      expect([path, answer.isError, JSON.stringify(answer)]).toEqual([
        path,
        true,
        expect.stringContaining("may hold secrets"),
      ])
    }
    const folder = await space.json(["memory", "import", "notes"])
    expect(folder.notices).toEqual(["token.txt was skipped because it may hold secrets"])
    expect((await space.run(["memory", "export", "--everything"])).stdout).not.toContain(MARKER)
  })

  test("in commit messages are masked by log and context", async () => {
    const token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("")
    const word = ["hunt", "er22"].join("")
    using space = new Workspace()
    git(space.project, "init", "-q", "--template=", "-b", "main")
    space.write("a.ts", "export function heron() {\n  return 1\n}\n")
    commit(
      space.project,
      `heron: use ${token} for the feed\n\nThe login is ann, password: ${word}\nwhich is grey.`,
    )
    space.write("a.ts", "export function heron() {\n  return 2\n}\n")
    commit(space.project, `heron: return two, ${token}`)
    const shown = [await space.run(["log", "a.ts"]), await space.run(["log", "heron", "--json"])]
    shown.push(await space.run(["context", "heron return"]))
    await using agent = await connect(space)
    const answer = JSON.stringify(await agent.call("log", { what: "a.ts" }))
    for (const text of [...shown.map(({ stdout, stderr }) => stdout + stderr), answer]) {
      expect(text).toContain("heron")
      expect(text).not.toContain(token.slice(9))
      expect(text).not.toContain(word)
    }
    expect(shown[0]!.stdout).toContain("heron: use *** for the feed")
    expect(answer).toContain("which is grey")
  })

  test("are not read from git's history either", async () => {
    using space = new Workspace()
    git(space.project, "init", "-q", "--template=", "-b", "main")
    space.write("a.ts", "export const heron = 1\n")
    space.write("secrets.json", `{"${MARKER}": 1}`)
    commit(space.project, "first")
    git(space.project, "rm", "-q", "secrets.json")
    space.write("a.ts", "export const heron = 2\n")
    commit(space.project, "second")
    const { code, stdout, stderr } = await space.run(["symbol", "--impact", "--diff", "HEAD~1"])
    expect([code, stdout]).toEqual([1, expect.stringContaining("heron")])
    expect(stdout + stderr).not.toMatch(/zebrafinch|secrets\.json/)
  })
})

describe("credentials in notes", () => {
  const formats = credentialFormats()

  test("are refused in every field, in disguise, and as the value of a topic, a key or a tag", async () => {
    using space = new Workspace({ "package.json": "{}", "a.ts": "export const heron = 1\n" })
    const token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("")
    const word = ["hunt", "er22"].join("")
    const fields = ["--source", "--topic", "--key", "--author", "--session", "--tag"].map((flag) => [
      flag,
      flag === "--source" ? `a.ts#${token}` : token,
      "The heron is grey",
    ])
    const disguised = [
      `p\u0430ssword: ${word}`,
      `ｐａｓｓｗｏｒｄ：${word}`,
      `pass\u200bword=${word}`,
      `pa\u00adss\u2060word = ${word}`,
      `pássword: ${word}`,
      `\u0440\u0430\u0455\u0455word: ${word}`,
      `${token.slice(0, 9)}\u200b${token.slice(9)}`,
      [...token]
        .map((letter) => (letter === "_" ? letter : String.fromCharCode(letter.charCodeAt(0) + 0xfee0)))
        .join(""),
    ].map((text) => [text])
    const named = [
      ["--topic", "password", word],
      ["--key", "db-password", word],
      ["--tag", "passwords", "--tag", "password", word],
    ]
    for (const args of [...fields, ...disguised, ...named]) {
      const { code, stdout, stderr } = await space.run(["remember", ...args])
      expect([args, code, stdout]).toEqual([args, 3, ""])
      expect(stderr).not.toContain(word)
      expect(stderr).not.toContain(token)
    }
    expect((await space.run(["memory", "export", "--everything"])).stdout).not.toContain(token.slice(9))
  })

  test("are left out of the lines that an entry about code keeps", async () => {
    const secret = ["k9X2mV84", "tQp17aB3"].join("")
    using space = new Workspace({
      "package.json": "{}",
      "a.ts": `export const api_token = "${secret}"\nexport const heron = 1\n`,
    })
    await space.json(["index"])
    await space.json(["remember", "--source", "a.ts:1-2", "The heron is grey"])
    expect((await space.run(["memory", "export", "--everything"])).stdout).not.toContain(secret)
    expect((await space.json(["recall", "heron"])).results[0].freshness).toBe("fresh")
  })

  test("of every format are refused with line and kind, without printing the value", async () => {
    using space = new Workspace({ "package.json": "{}" })
    const stdin = formats.map(([name, secret]) => JSON.stringify({ text: `${name}:\n${secret}` })).join("\n")
    const { code, stdout, stderr } = await space.run(["remember", "--json", "--batch", "-", "--skip-bad"], {
      stdin,
    })
    expect(code).toBe(0)
    const { ids, left_out } = JSON.parse(stdout)
    expect(ids).toEqual([])
    expect(left_out).toHaveLength(formats.length)
    expect(left_out[0]).toBe("stdin:1 was skipped: looks like an AWS access key")
    for (const [, secret] of formats) expect(stdout + stderr).not.toContain(secret.slice(-12))
  })

  test("refuse only their own line of a batch with --skip-bad, and all of it without", async () => {
    using space = new Workspace({ "package.json": "{}" })
    const lines = Array.from({ length: 440 }, (_, n) =>
      JSON.stringify({ text: `the heron of lake ${n} is grey` }),
    )
    lines[211] = JSON.stringify({ text: ["password=", "hunter2", "secret"].join("") })
    lines[300] = JSON.stringify({ text: "kind is wrong", kind: "imaginary" })
    const stdin = lines.join("\n")
    const refused = await space.run(["remember", "--batch", "-"], { stdin })
    expect([refused.code === 0, refused.stdout]).toEqual([false, ""])
    const { code, stdout, stderr } = await space.run(["remember", "--batch", "-", "--skip-bad"], { stdin })
    expect([code, stdout.trim().split("\n").length]).toEqual([0, 438])
    expect(stderr).toContain("stdin:212 was skipped: looks like a password or key")
    expect(stderr).toContain("stdin:301 was skipped: ")
    writeFileSync(join(space.project, "notes.jsonl"), `${stdin}\n`)
    const imported = await space.json(["memory", "import", "notes.jsonl", "--skip-bad"])
    expect(imported.files[0]).toMatchObject({ added: 0, known: 438 })
    expect(imported.files[0].warnings.join()).toContain("notes.jsonl:212 was skipped")
  })

  test("stated as words are refused, and sentences about passwords are stored", async () => {
    using space = new Workspace({ "package.json": "{}" })
    for (const stated of [
      "password: swordfish",
      "DB_PASSWORD=zebra-lamp-44",
      "password hunter22",
      "密码：Kx88wqzt1",
    ]) {
      const { code, stderr } = await space.run(["remember", stated])
      expect([stated, code]).toEqual([stated, 3])
      expect(stderr).toContain("looks like a password or key, so nothing was stored")
    }
    for (const prose of [
      "the password is stored hashed",
      "password: min 8 characters",
      "token: the JWT of the user",
    ])
      expect(await space.json(["remember", prose])).toHaveProperty("id")
  })

  test("stored by an earlier version are counted by doctor, which says how to purge them", async () => {
    using space = new Workspace({ "package.json": "{}" })
    const secret = ["password: ", "hunter2"].join("")
    const { stdout } = await space.run(["remember", "--force", secret])
    const other = (
      await space.run(["remember", "--force", ["password=", "sword4fish"].join("")])
    ).stdout.trim()
    await space.run(["memory", "delete", other])
    await space.json(["remember", "The heron is grey"])
    const found = async () => {
      const { checks } = JSON.parse((await space.run(["doctor", "--json"])).stdout)
      return checks.filter(
        ({ name, message }: { name: string; message: string }) =>
          name === "knowledge" && /credential/.test(message),
      )
    }
    const [check] = await found()
    expect(check).toMatchObject({ state: "warning", message: expect.stringMatching(/^2 entries /) })
    expect(check.next).toContain(`aman memory purge ${stdout.trim()}`)
    expect(JSON.stringify(check)).not.toContain("hunter2")
    await space.run(["memory", "purge", stdout.trim(), other])
    expect(await found()).toEqual([])
  })
})
