import { createHash } from "node:crypto"
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A web server on this machine that serves the files of a release and their checksums. */
export class ReleaseServer implements Disposable {
  readonly files = new Map<string, Uint8Array>()
  readonly asked: string[] = []
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const name = new URL(url).pathname.slice(1)
      this.asked.push(name)
      const bytes = this.files.get(name)
      return bytes ? new Response(bytes) : new Response("no such file", { status: 404 })
    },
  })

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  /** Adds an archive that contains this program, and computes the checksums again. */
  add(name: string, program: string, file = "aman"): void {
    this.files.set(name, archiveOf(program, file))
    this.sum()
  }

  sum(change: (line: string) => string = (line) => line): void {
    const lines = [...this.files].flatMap(([name, bytes]) =>
      name === "checksums.txt" ? [] : [`${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`],
    )
    this.files.set("checksums.txt", Buffer.from(lines.map(change).join("")))
  }

  [Symbol.dispose](): void {
    this.#server.stop(true)
  }
}

function archiveOf(program: string, file: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "aman-archive-"))
  try {
    copyFileSync(program, join(folder, file))
    const archive = join(folder, "archive.tar")
    const { exitCode } = Bun.spawnSync(["tar", "-cf", archive, file], { cwd: folder })
    if (exitCode !== 0) throw new Error("tar failed")
    // The lowest compression, because the real program is large.
    return Bun.gzipSync(readFileSync(archive), { level: 1 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
