import { S3Client } from "bun"
import { AmanError, readBounded } from "../../../src/base/index.ts"
import type { BlobStore } from "./blob-store.ts"

/** Max attempts for one request. Several are needed, because stores answer some requests with "try later". */
const ATTEMPTS = 3

const FIRST_PAUSE_MS = 200
/** Time limit in ms for one attempt of a request. Most blobs have at most half a megabyte. */
const REQUEST_MS = 30_000

/** Max bytes of a blob: a pack with one file of the largest size that settings allow. */
const MAX_BLOB_BYTES = 260 << 20

type Environment = Readonly<Record<string, string | undefined>>

/** Blobs in a bucket of a store that speaks the S3 protocol. */
export class S3Blobs implements BlobStore {
  readonly #client: S3Client
  /** Start of each object's key; empty, or ends with a slash. */
  readonly #prefix: string
  /** The bucket as the user wrote it, for messages. */
  readonly #place: string

  /**
   * `place`: s3://BUCKET or s3://BUCKET/PREFIX. Credentials, region and endpoint come from the variables of AWS. Throws
   * USAGE if a part is missing.
   */
  constructor(place: string, env: Environment) {
    const { bucket, prefix } = partsOf(place)
    const [accessKeyId, secretAccessKey] = [env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]]
    if (!accessKeyId || !secretAccessKey)
      throw new AmanError("USAGE", `there are no credentials for ${place}`, {
        hint: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      })
    const sessionToken = env["AWS_SESSION_TOKEN"]
    const endpoint = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"]
    this.#place = place
    this.#prefix = prefix
    this.#client = new S3Client({
      ...{ bucket, accessKeyId, secretAccessKey },
      ...{ region: env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1" },
      ...(endpoint ? { endpoint } : {}),
      ...(sessionToken ? { sessionToken } : {}),
    })
  }

  async put(hash: string, bytes: Uint8Array): Promise<void> {
    await this.#request(() => this.#client.write(this.#key(hash), bytes))
  }

  async get(hash: string): Promise<Uint8Array | null> {
    return this.#request(async () => {
      try {
        return await readBounded(this.#client.file(this.#key(hash)).stream(), MAX_BLOB_BYTES)
      } catch (error) {
        if (codeOf(error) === "NoSuchKey") return null
        throw error
      }
    })
  }

  readonly remove = async (hashes: readonly string[]): Promise<void> => {
    await Promise.all(hashes.map((hash) => this.#request(() => this.#client.delete(this.#key(hash)))))
  }

  #key(hash: string): string {
    return `${this.#prefix}${hash.slice(0, 2)}/${hash}`
  }

  /**
   * Runs a request, and repeats it if the store cannot answer now. Throws TEAM if the store refuses the request or
   * cannot be reached.
   */
  async #request<T>(act: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await withinTime(act())
      } catch (error) {
        const code = codeOf(error)
        if (code in HINTS || attempt === ATTEMPTS) throw this.#failure(code, error)
        await Bun.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2))
      }
    }
  }

  #failure(code: string, cause: unknown): AmanError {
    const refusal = HINTS[code]
    const message = cause instanceof Error && refusal !== undefined ? `: ${cause.message}` : ""
    return new AmanError(
      "TEAM",
      `the team's blob store ${this.#place} ${refusal === undefined ? "cannot be reached" : "refused a request"} (${code})${message}`,
      { hint: refusal ?? "check AWS_ENDPOINT_URL and AWS_REGION, and that the store runs", cause },
    )
  }
}

const KEYS = "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for a temporary key, AWS_SESSION_TOKEN"
const BUCKET = "create the bucket, or correct AMAN_TEAM_BLOBS and AWS_REGION"

/** Hints for errors that do not go away with another attempt, by the error code of the store. */
const HINTS: Readonly<Record<string, string>> = {
  AccessDenied:
    "the key needs s3:GetObject, s3:PutObject and s3:DeleteObject on the objects, and s3:ListBucket on the bucket",
  AuthorizationHeaderMalformed: "set AWS_REGION to the bucket's region",
  ExpiredToken: KEYS,
  InvalidAccessKeyId: KEYS,
  InvalidToken: KEYS,
  NoSuchBucket: BUCKET,
  PermanentRedirect: BUCKET,
  RequestTimeTooSkewed: "correct this machine's clock",
  SignatureDoesNotMatch: KEYS,
}

function partsOf(place: string): { readonly bucket: string; readonly prefix: string } {
  const parts = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(place)
  if (parts === null)
    // The place is not quoted, because it may contain a key.
    throw new AmanError("USAGE", "the team's blob store is not given as s3://BUCKET or s3://BUCKET/PREFIX", {
      hint: "credentials belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the address into AWS_ENDPOINT_URL",
    })
  const prefix = (parts[2] ?? "").replace(/^\/+|\/+$/g, "")
  return { bucket: parts[1]!, prefix: prefix === "" ? "" : `${prefix}/` }
}

/** The error code that the store or the connection reported. */
function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? "UnknownError"
}

async function withinTime<T>(request: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error(`no answer within ${REQUEST_MS / 1000} s`), { code: "Timeout" })
    timer = setTimeout(reject, REQUEST_MS, error)
  })
  try {
    return await Promise.race([request, late])
  } finally {
    clearTimeout(timer)
  }
}
