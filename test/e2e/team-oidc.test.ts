import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose"
import { hasPostgres } from "../postgres.ts"
import { endlessServer } from "./endless-server.ts"
import { type Answer, TeamSpace } from "./team-space.ts"

const ISSUER = "https://identity.example/realms/shop"
const AUDIENCE = "aman"

type Key = {
  readonly alg: string
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

async function newKey(alg: string, kid: string): Promise<Key> {
  return { alg, kid, ...(await generateKeyPair(alg, { extractable: true })) }
}

async function keySet(...keys: readonly Key[]) {
  const each = keys.map(async ({ alg, kid, publicKey }) => ({
    ...(await exportJWK(publicKey)),
    alg,
    kid,
    use: "sig",
  }))
  return { keys: await Promise.all(each) }
}

const now = () => Math.floor(Date.now() / 1000)

/** A token of the issuer; `claims` replace its usual ones, and undefined leaves one out. */
function token({ alg, kid, privateKey }: Key, claims: object = {}, header: object = {}): Promise<string> {
  const usual = {
    iss: ISSUER,
    aud: AUDIENCE,
    iat: now(),
    exp: now() + 600,
    email: "ada@shop.example",
    groups: ["/open"],
  }
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
}

describe.skipIf(!hasPostgres)("tokens of an identity provider", () => {
  let team: TeamSpace
  let issuer: Bun.Server<undefined>
  let served: object
  let rsa: Key
  let elliptic: Key

  const variables = (keys: string) => ({
    ...{
      AMAN_TEAM_OIDC_ISSUER: ISSUER,
      AMAN_TEAM_OIDC_AUDIENCE: `other,${AUDIENCE}`,
      AMAN_TEAM_OIDC_KEYS: keys,
    },
    ...{ AMAN_TEAM_OIDC_PRINCIPAL: "email", AMAN_TEAM_OIDC_TEAMS: "groups" },
  })
  const search = async (bearer: string) => {
    const { status, answer } = await team.ask(bearer, "/v1/search", { query: "door" })
    return { status, paths: answer.results?.map(({ path }: Answer) => path) ?? [] }
  }

  beforeAll(async () => {
    team = await TeamSpace.start()
    await team.add({
      open: { "door.ts": "export const door = 1\n" },
      secret: { "vault.ts": "export const door = 2\n" },
    })
    ;[rsa, elliptic] = [await newKey("RS256", "first"), await newKey("ES256", "second")]
    served = await keySet(rsa, elliptic)
    issuer = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(served) })
    await team.serve([], variables(`http://127.0.0.1:${issuer.port}/keys`))
  }, 60_000)
  afterAll(async () => {
    await issuer?.stop(true)
    await team?.[Symbol.asyncDispose]()
  })

  test("a valid token gives the rights of the teams in its claim, beside tokens of aman", async () => {
    for (const key of [rsa, elliptic])
      expect(await search(await token(key))).toEqual({ status: 200, paths: ["door.ts"] })
    for (const typ of ["JWT", "at+jwt", "application/at+jwt"])
      expect([typ, (await search(await token(rsa, {}, { typ }))).status]).toEqual([typ, 200])
    const own = await team.token("bob", "secret")
    expect(await search(own)).toEqual({ status: 200, paths: ["vault.ts"] })
    const login = await team.space.run(["team", "login", team.url, "--json"], { stdin: await token(rsa) })
    expect(JSON.parse(login.stdout)).toMatchObject({ principal: "ada@shop.example", repositories: 1 })
    const onPage = await team.ask(await token(rsa), "/api/project", {})
    expect(onPage.answer).toMatchObject({ person: "ada@shop.example", repositories: [expect.any(String)] })
    // A claim does not create a team, and names such as "administrators" or "*" give no rights.
    expect(
      (await search(await token(rsa, { email: "eve", groups: ["administrators", "*", "' OR true --"] })))
        .status,
    ).toBe(404)
    expect((await search(await token(rsa, { email: "bob", groups: [] }))).paths).toEqual(["vault.ts"])
    const { entries } = await team.admin("audit")
    expect(entries.map(({ about }: Answer) => about)).toContain("ada@shop.example to open, by its claims")
    const ada = await team.admin("who", "ada@shop.example")
    expect(ada).toMatchObject({ teams: ["open"], claimed: ["open"] })
    expect(ada.repositories).toEqual([{ repository: expect.stringMatching(/open$/), teams: ["open"] }])
    const shown = await team.space.run(["team", "who", "bob"], { env: team.env })
    expect(shown.stdout).toMatch(
      /^bob is in secret and can read 1 repository:\n {2}\S+secret {2}by secret\n$/,
    )
    const nobody = await team.space.run(["team", "who", "mallory"], { env: team.env })
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining("no person named")])
  })

  test("every other token is refused and in the audit log", async () => {
    const stranger = await newKey("RS256", "first")
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const [head, body, signature] = (await token(rsa)).split(".") as [string, string, string]
    const pem = Buffer.from(await exportSPKI(rsa.publicKey))
    const modulus = Buffer.from((await exportJWK(rsa.publicKey)).n!, "base64url")
    const usual = { iss: ISSUER, aud: AUDIENCE, iat: now(), exp: now() + 600, email: "ada@shop.example" }
    const hmac = (secret: Buffer) =>
      new SignJWT(usual).setProtectedHeader({ alg: "HS256", kid: "first" }).sign(secret)
    const claims = JSON.parse(Buffer.from(body, "base64url").toString())
    const wrong: Readonly<Record<string, string>> = {
      expired: await token(rsa, { exp: now() - 60 }),
      "not valid yet": await token(rsa, { nbf: now() + 600 }),
      "issued in a year": await token(rsa, { iat: now() + 31_536_000, exp: now() + 31_537_000 }),
      "that reports a logout": await token(rsa, {}, { typ: "logout+jwt" }),
      "with the events of a logout": await token(rsa, {
        events: { "http://schemas.openid.net/event/backchannel-logout": {} },
      }),
      "without an end": await token(rsa, { exp: undefined }),
      "of another issuer": await token(rsa, { iss: "https://identity.example/realms/other" }),
      "of an issuer that begins alike": await token(rsa, { iss: `${ISSUER}.evil.example` }),
      "for another audience": await token(rsa, { aud: "other-service" }),
      "without an audience": await token(rsa, { aud: undefined }),
      "of another key under a known name": await token(stranger),
      "of an unknown key": await token(await newKey("RS256", "third")),
      "with its own key in the header": await token(
        stranger,
        {},
        { jwk: await exportJWK(stranger.publicKey) },
      ),
      "with the algorithm none": `${encoded({ alg: "none" })}.${body}.`,
      "with the algorithm none and a signature": `${encoded({ alg: "none", kid: "first" })}.${body}.${signature}`,
      "HMAC with the public key as PEM": await hmac(pem),
      "HMAC with the modulus": await hmac(modulus),
      "with other claims": `${head}.${encoded({ ...claims, groups: ["secret"] })}.${signature}`,
      "with another signature": `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      "without a name": await token(rsa, { email: undefined }),
      "with a name that is none": await token(rsa, { email: "\u202eada" }),
      "with a list as name": await token(rsa, { email: ["ada@shop.example"] }),
      "no JSON": "a.b.c",
    }
    const refused = async () =>
      (await team.admin("audit", "--limit", "1000")).entries.filter(
        (each: Answer) => each.action === "token refused",
      )
    const known = (await refused()).length
    for (const [what, bearer] of Object.entries(wrong))
      expect([what, (await search(bearer)).status]).toEqual([what, 401])
    expect((await refused()).length - known).toBe(Object.keys(wrong).length)
    expect(JSON.stringify(await refused())).not.toContain(signature)
  })

  test("a team that newer claims no longer name is left, and an older token does not bring it back", async () => {
    const dora = { email: "dora", iat: now() - 100 }
    const old = await token(rsa, dora)
    expect((await search(old)).paths).toEqual(["door.ts"])
    expect((await search(await token(rsa, { email: "dora", groups: [] }))).status).toBe(404)
    expect((await search(old)).status).toBe(404)
    expect((await search(await token(rsa, { ...dora, exp: now() + 601 }))).status).toBe(404)
    // A team that an administrator assigned stays, whatever the claims say.
    await team.admin("token", "dora", "--team", "secret")
    expect((await search(await token(rsa, { email: "dora", groups: [], iat: now() + 1 }))).paths).toEqual([
      "vault.ts",
    ])
  })

  test("new keys are taken and old ones dropped when the key set changes", async () => {
    const next = await newKey("RS256", "next")
    served = await keySet(next)
    // The set is fetched again for an unknown key, at most once a second.
    while ((await search(await token(next))).status !== 200) await Bun.sleep(100)
    expect((await search(await token(rsa, { exp: now() + 500 }))).status).toBe(401)
  })

  test("keys come from a file, too, and without any keys only tokens of aman work", async () => {
    const path = join(team.space.dir, "keys.json")
    await Bun.write(path, JSON.stringify(await keySet(rsa)))
    await team.serve(["--name", "file"], variables(path))
    expect((await search(await token(rsa))).status).toBe(200)
    await Bun.write(path, JSON.stringify(await keySet(elliptic)))
    expect((await search(await token(elliptic))).status).toBe(200)
    expect((await search(await token(rsa, { exp: now() + 500 }))).status).toBe(401)
    const { href } = endlessServer()
    await team.serve(["--name", "endless"], variables(href))
    expect((await team.ask(await token(elliptic), "/v1/status")).status).toBe(503)
    await team.serve(["--name", "again"], variables(path))
    await Bun.write(path, "not a key set")
    const failed = await team.ask(await token(elliptic, { exp: now() + 500 }), "/v1/status")
    expect([failed.status, failed.answer.error.message]).toEqual([503, expect.stringContaining("keys")])
    expect((await search(await team.token("bob", "secret"))).status).toBe(200)
    for (const env of [variables("http://identity.example/keys"), { AMAN_TEAM_OIDC_ISSUER: ISSUER }]) {
      const { code, stderr } = await team.space.run(["team", "serve", "--port", "0", "--name", "x"], {
        env: { ...team.env, ...env },
      })
      expect([code, stderr]).toEqual([2, expect.stringContaining("OIDC")])
    }
  })
})
