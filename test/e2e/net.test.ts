import { expect, test } from "bun:test"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { git } from "../git-repository.ts"
import { answersOf } from "../net/answers.ts"
import { callsAbout, type Subject } from "../net/calls.ts"
import { binary } from "./harness.ts"
import { SHOP } from "./sample.ts"

const SUBJECTS: Readonly<Record<string, Subject & { lay(folder: string): void }>> = {
  shop: {
    names: ["RefundPayment", "LoginForm", "hash"],
    questions: ["where does a customer get money back", "too many failed logins"],
    paths: ["billing/refund.go", "web/login.ts", "README.md"],
    folder: "web",
    lay: (folder) => writeAll(folder, SHOP),
  },
  queue: {
    names: ["Broker", "parse", "retryJob"],
    questions: ["how long does a failed job wait", "which settings come from the environment"],
    paths: ["server/config/toml.go", "web/src/api.ts", "worker/registry.py"],
    folder: "server",
    lay: (folder) => cpSync(join(import.meta.dir, "../fixtures/ranking"), folder, { recursive: true }),
  },
  languages: {
    names: ["Shape", "area"],
    questions: ["area of a shape"],
    paths: ["java.java", "python.py", "cpp.hpp"],
    folder: ".",
    lay: (folder) => cpSync(join(import.meta.dir, "../fixtures/languages"), folder, { recursive: true }),
  },
}

for (const [name, subject] of Object.entries(SUBJECTS)) {
  test(`answers every call about ${name} as in test/golden/net/${name}.txt`, async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "aman-net-")))
    try {
      const [project, home] = [join(dir, name), join(dir, "home")]
      mkdirSync(home)
      mkdirSync(project)
      subject.lay(project)
      commitAll(project)
      const calls = callsAbout(subject, name !== "shop")
      const answers = await answersOf({ binary, project, home }, calls)
      const text = calls.map(({ door, title }, at) => `== ${door}: ${title}\n${answers[at]}`).join("\n")
      const golden = join(import.meta.dir, "../golden/net", `${name}.txt`)
      if (process.env["UPDATE_GOLDEN"]) writeFileSync(golden, text)
      expect(text).toBe(readFileSync(golden, "utf8"))
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }, 120_000)
}

function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A commit with the same id in every run. */
function commitAll(folder: string): void {
  git(folder, "init", "-q", "--template=", "-b", "main")
  git(folder, "add", "-A")
  const time = "2024-01-02T00:00:00Z"
  const env = { PATH: process.env["PATH"] ?? "", GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: time }
  const own = ["-c", "user.name=t", "-c", "user.email=t@example", "-c", "commit.gpgsign=false"]
  const { exitCode } = Bun.spawnSync(["git", "-C", folder, ...own, "commit", "-q", "-m", "first"], { env })
  expect(exitCode).toBe(0)
}
