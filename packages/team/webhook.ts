import { createHmac } from "node:crypto"
import { isSameText } from "../../src/ask/index.ts"
import { AmanError, sha256 } from "../../src/base/index.ts"

/** The content of a code host's push message whose signature was verified. */
export type Delivery = {
  /** Addresses of the repository. */
  readonly urls: readonly string[]
  /** Hash of the whole message: a second message with the same hash is a replay. */
  readonly digest: string
}

/** Matches the path of a code host's webhooks; the group is the host. */
export const WEBHOOK_PATH = /^\/v1\/hooks\/(github|gitlab|gitea)$/

const ADDRESS_FIELDS = ["clone_url", "ssh_url", "html_url", "git_http_url", "git_ssh_url", "web_url"]

/**
 * Verifies and reads a webhook of GitHub, GitLab or Gitea. Returns null if it was not made with this secret. Throws
 * USAGE for a message that names no repository.
 */
export async function readWebhook(host: string, request: Request, secret: string): Promise<Delivery | null> {
  const body = Buffer.from(await request.arrayBuffer())
  if (!isSigned(host, request.headers, body, secret)) return null
  return { urls: addressesIn(body), digest: sha256(body) }
}

function isSigned(host: string, headers: Headers, body: Buffer, secret: string): boolean {
  // GitLab sends the secret itself; the others sign the body with it.
  if (host === "gitlab") return isSameText(headers.get("x-gitlab-token") ?? "", secret)
  const given =
    host === "github"
      ? headers.get("x-hub-signature-256")?.replace(/^sha256=/, "")
      : headers.get("x-gitea-signature")
  return isSameText(given ?? "", createHmac("sha256", secret).update(body).digest("hex"))
}

function addressesIn(body: Buffer): string[] {
  let message: unknown
  try {
    message = JSON.parse(body.toString("utf8"))
  } catch {
    throw new AmanError("USAGE", "the body of the webhook is not JSON", {
      hint: "choose the content type application/json for it",
    })
  }
  const { repository, project } = (message ?? {}) as Readonly<Record<string, unknown>>
  const fields = { ...asObject(project), ...asObject(repository) }
  const urls = ADDRESS_FIELDS.map((name) => fields[name]).filter((url) => typeof url === "string")
  if (urls.length > 0) return urls
  throw new AmanError("USAGE", "the webhook names no repository")
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
