import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "@20minutes/s3rver"
import { S3Client } from "bun"

const ACCOUNT = "S3RVER"
const BUCKET = "team"

/** An S3 server with the bucket "team", behind a proxy that can hold requests back. */
export class S3Store implements AsyncDisposable {
  /** Variables with which aman uses this store. */
  readonly env: Readonly<Record<string, string>>
  readonly client: S3Client
  readonly #server: S3rver
  readonly #proxy: Bun.Server<undefined>
  readonly #folder: string
  /** Ends when requests are no longer held. */
  #held: Promise<void> | null = null

  private constructor(server: S3rver, port: number, folder: string) {
    this.#server = server
    this.#folder = folder
    this.#proxy = Bun.serve({
      ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0 },
      fetch: async (request) => {
        if (request.method === "GET") await this.#held
        const { pathname, search } = new URL(request.url)
        // The signature covers the name of the host, so the request keeps it.
        const { method, headers } = request
        const body = method === "GET" ? null : await request.arrayBuffer()
        return fetch(`http://127.0.0.1:${port}${pathname}${search}`, { method, headers, body })
      },
    })
    const endpoint = `http://127.0.0.1:${this.#proxy.port}`
    this.env = {
      ...{ AWS_ACCESS_KEY_ID: ACCOUNT, AWS_SECRET_ACCESS_KEY: ACCOUNT, AWS_ENDPOINT_URL: endpoint },
      AMAN_TEAM_BLOBS: `s3://${BUCKET}/indexes`,
    }
    this.client = new S3Client({
      ...{ endpoint, bucket: BUCKET, accessKeyId: ACCOUNT, secretAccessKey: ACCOUNT },
    })
  }

  static async start(): Promise<S3Store> {
    const folder = mkdtempSync(join(tmpdir(), "aman-s3-"))
    const server = new S3rver({
      ...{ address: "127.0.0.1", port: 0, silent: true, directory: folder },
      configureBuckets: [{ name: BUCKET }],
    })
    const { port } = await server.run()
    return new S3Store(server, port, folder)
  }

  /** Does not answer requests for objects from now on; returns a function that lets them pass again. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    return () => {
      this.#held = null
      resolve()
    }
  }

  /** Keys of the stored objects. */
  keys(): string[] {
    const objects = new Bun.Glob("**/*_object").scanSync(join(this.#folder, BUCKET))
    return [...objects].map((path) => path.replace(/\._S3rver_object$/, "")).sort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy.stop(true)
    await this.#server.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
