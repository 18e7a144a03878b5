import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

/**
 * Headers of every response. Scripts, styles and requests are limited to this server, nothing inline runs, and a string
 * can never become markup or code (trusted types).
 */
export const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
}

/** Decides which requests a server admits: only those of the browser that opened its link. */
export class Admission {
  /** One-time token in the link that is printed; the browser that first opens it gets the cookie. */
  readonly token = randomBytes(24).toString("base64url")
  readonly #session = randomBytes(24).toString("base64url")
  readonly #cookie: string
  readonly #origins: ReadonlySet<string>
  #isTokenUsed = false

  constructor(port: number) {
    // Browsers send cookies to all ports of a host, so the cookies of two servers need different names.
    this.#cookie = `aman-ui-${port}`
    this.#origins = new Set(
      ["127.0.0.1", "localhost", "[::1]"].map((name) => new URL(`http://${name}:${port}`).origin),
    )
  }

  /**
   * Reason why a request does not come from a page of this server; null if it does. A page of another site whose domain
   * was made to point to this address (DNS rebinding) still sends its own name as host.
   */
  refusalReason(request: Request): string | null {
    const host = `http://${request.headers.get("host") ?? ""}`
    if (!this.#origins.has(host)) return "this Host header is not allowed"
    const origin = request.headers.get("origin")
    if (origin !== null && origin !== host) return "this Origin is not allowed"
    const site = request.headers.get("sec-fetch-site")
    const isNavigation = request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate"
    if (site !== null && site !== "same-origin" && site !== "none" && !isNavigation)
      return "requests of other sites are not allowed"
    // Browsers send Origin with every POST.
    if (request.method === "POST" && origin === null) return "an Origin header is missing"
    return null
  }

  /** True for the first request with the token of the link, and false for every later one: the token is used then. */
  redeems(token: string | null): boolean {
    if (this.#isTokenUsed || token === null || !equalInConstantTime(token, this.token)) return false
    this.#isTokenUsed = true
    return true
  }

  /** True for a request with the cookie that the browser got when it opened the link. */
  hasSession(request: Request): boolean {
    const all = (request.headers.get("cookie") ?? "").split(/;\s*/)
    const prefix = `${this.#cookie}=`
    return all.some(
      (each) => each.startsWith(prefix) && equalInConstantTime(each.slice(prefix.length), this.#session),
    )
  }

  /** Value of the set-cookie header for the browser that redeemed the token. */
  get setCookie(): string {
    return `${this.#cookie}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`
  }
}

/** Compares in a time that does not depend on where the texts differ. */
function equalInConstantTime(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
