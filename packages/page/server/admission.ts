import { randomBytes } from "node:crypto"
import { isSameText } from "../../../src/ask/index.ts"

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

/**
 * Decides which requests a server answers: only those of the page that opened its link. There is no cookie, because
 * browsers send cookies to every port of a host, so that another user's server on this machine would receive it.
 */
export class Admission {
  /** One-time code in the link; the page that first sends it gets the secret. */
  readonly code = randomBytes(24).toString("base64url")
  readonly #secret = randomBytes(24).toString("base64url")
  readonly #origins: ReadonlySet<string>
  #isCodeUsed = false

  constructor(port: number) {
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

  /** The secret, for the first request with the code of the link; null for every other request. */
  redeem(code: string): string | null {
    if (this.#isCodeUsed || !isSameText(code, this.code)) return null
    this.#isCodeUsed = true
    return this.#secret
  }

  /** True for a request with the secret. */
  hasSession(request: Request): boolean {
    return isSameText(request.headers.get("authorization") ?? "", `Bearer ${this.#secret}`)
  }
}
