import { readFileSync, statSync } from "node:fs"
import { isAbsolute } from "node:path"
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose"
import { AmanError, isLoopback, log, readBounded } from "../../../src/base/index.ts"

/**
 * The identity provider whose tokens a node accepts besides those of `aman team token`, and the claims that it reads.
 */
export type OidcOptions = {
  readonly issuer: string
  /** Accepted audiences, at least one: a token must be issued for one of them. */
  readonly audiences: readonly string[]
  /** Address or absolute path of the key set (JWKS). */
  readonly keys: string
  /** Claim with the name of the principal. */
  readonly principalClaim: string
  /** Claim with the names of teams; null: administrators decide about teams. */
  readonly teamsClaim: string | null
}

/** The content of a verified token. */
export type TokenClaims = {
  readonly principal: string
  /** Names of teams; null if no claim is about teams. */
  readonly teams: readonly string[] | null
  /** Times at which the token was issued and expires, in milliseconds since 1970. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/** Algorithms that sign with a private key. HMAC is excluded: the public key of the issuer would be a valid secret. */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ")

const CLOCK_TOLERANCE_S = 30
const TIMEOUT_MS = 5000
/** An unknown key makes the verifier fetch the key set again, at most this often. */
const COOLDOWN_MS = 1000

/** Max bytes of a key set; a key takes 2 KB with its certificates. */
const MAX_KEYS_BYTES = 1 << 20

const MAX_KEYS_AGE_MS = 600_000
/** Allows more than the names that administrators may give, because issuers name users by addresses, paths and ids. */
const PRINCIPAL = /^[\p{L}\p{N}][\p{L}\p{N}._@:/|+-]{0,199}$/u

/** Verifies tokens of one issuer (JWT) by its key set, which is read again when its keys change. */
export class OidcVerifier {
  readonly #options: OidcOptions
  readonly #keys: JWTVerifyGetKey

  /** Throws USAGE. */
  constructor(options: OidcOptions) {
    this.#options = options
    this.#keys = keysAt(options.keys)
  }

  /** The claims of a valid token, or the reason why it is refused. Throws TEAM if the keys cannot be read. */
  async verify(token: string): Promise<TokenClaims | string> {
    const { issuer, audiences, principalClaim } = this.#options
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#keys, {
        ...{ issuer, audience: [...audiences], algorithms: [...ALGORITHMS] },
        ...{ clockTolerance: CLOCK_TOLERANCE_S, requiredClaims: ["exp", "iat"] },
      })
      const kind = otherKind(protectedHeader.typ, payload)
      if (kind !== null) return kind
      if (payload.iat! > Date.now() / 1000 + CLOCK_TOLERANCE_S) return '"iat" claim is in the future'
      const principal = claimIn(payload, principalClaim)
      if (typeof principal !== "string" || !PRINCIPAL.test(principal))
        return `the claim ${principalClaim} is no name`
      const [issuedAt, expiresAt] = [payload.iat! * 1000, payload.exp! * 1000]
      return { principal, teams: this.#teamsIn(payload), issuedAt, expiresAt }
    } catch (error) {
      return refusalReason(error)
    }
  }

  #teamsIn(payload: JWTPayload): readonly string[] | null {
    const { teamsClaim } = this.#options
    if (teamsClaim === null) return null
    const value = claimIn(payload, teamsClaim) ?? []
    const names = typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : []
    // Some issuers name groups as paths.
    return names.flatMap((name) => (typeof name === "string" && name !== "" ? [name.replace(/^\//, "")] : []))
  }
}

/** Types (`typ`) of ID and access tokens: RFC 7519 and RFC 9068. Some issuers give none. */
const TYPES = /^(?:application\/)?(?:at\+)?jwt$/i

/** Why a token of the issuer is no ID or access token, such as one that reports a logout; null if it is one. */
function otherKind(type: string | undefined, payload: JWTPayload): string | null {
  if (type !== undefined && !TYPES.test(type)) return `a token of type ${JSON.stringify(type.slice(0, 40))}`
  return "events" in payload ? 'a token with an "events" claim' : null
}

/** True for a text that has the form of a JWT, which tokens of `aman team token` do not have. */
export function isJwt(token: string): boolean {
  return token.split(".").length === 3
}

function keysAt(place: string): JWTVerifyGetKey {
  if (isAbsolute(place)) return keysInFile(place)
  const url = URL.parse(place)
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))
  if (url !== null && isSafe)
    return createRemoteJWKSet(url, {
      ...{ timeoutDuration: TIMEOUT_MS, cooldownDuration: COOLDOWN_MS, cacheMaxAge: MAX_KEYS_AGE_MS },
      [customFetch]: fetchBounded,
    })
  throw new AmanError("USAGE", "the key set of OIDC is neither an https address nor an absolute path", {
    hint: "set AMAN_TEAM_OIDC_KEYS to the jwks_uri of the issuer's /.well-known/openid-configuration",
  })
}

const fetchBounded: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options)
  const body = await readBounded(response.body, MAX_KEYS_BYTES, options.signal)
  if (body === null) throw new Error(`the key set has more than ${MAX_KEYS_BYTES} bytes`)
  return new Response(body, { status: response.status })
}

/** The keys of a file, which is read again once it has changed. */
function keysInFile(path: string): JWTVerifyGetKey {
  let known: { readonly at: number; readonly keys: JWTVerifyGetKey } | null = null
  return (header, token) => {
    const at = statSync(path).mtimeMs
    if (known?.at !== at) known = { at, keys: createLocalJWKSet(JSON.parse(readFileSync(path, "utf8"))) }
    return known.keys(header, token)
  }
}

/** The claim of this name. The name may be a path with dots through objects, such as `realm_access.roles`. */
function claimIn(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  let value: unknown = payload
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[part]
  }
  return value
}

/** Errors that are about the token; all others are about the key set. */
const ABOUT_TOKENS = [
  ...[errors.JWTClaimValidationFailed, errors.JWTExpired, errors.JWTInvalid, errors.JWSInvalid],
  ...[errors.JWSSignatureVerificationFailed, errors.JOSEAlgNotAllowed, errors.JOSENotSupported],
  ...[errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys],
]

function refusalReason(error: unknown): string {
  if (ABOUT_TOKENS.some((kind) => error instanceof kind)) return (error as Error).message
  log.warn("the keys of the identity provider cannot be read", { message: String(error) })
  throw new AmanError("TEAM", "the keys of the identity provider cannot be read", {
    hint: "tokens of aman team token work; the server's log says more",
    cause: error,
  })
}
