import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { binary, Workspace } from "./harness.ts"
import { ReleaseServer } from "./release-server.ts"

const script = join(import.meta.dir, "..", "..", "scripts", "install.sh")
const machine = process.arch === "arm64" ? "arm64" : "amd64"
const own = `aman_${process.platform}_${machine}.tar.gz`

// The script needs one of these for the download.
const hasDownloader = Bun.which("curl") !== null || Bun.which("wget") !== null

describe.skipIf(process.platform === "win32" || !hasDownloader)("install.sh, by curl or wget,", () => {
  test("installs the real program and says what to add to PATH", async () => {
    using space = new Workspace()
    using server = new ReleaseServer()
    server.add(own, binary)
    const { code, stdout, stderr } = await install(space, server)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const place = join(space.home, ".local", "bin", "aman")
    expect(stdout).toMatch(/^aman \d+\.\d+\.\d+\S* \(\w+\) is installed: .+\/\.local\/bin\/aman\n/)
    expect(stdout).toContain(`export PATH="${join(space.home, ".local", "bin")}:$PATH"`)
    expect(Bun.spawnSync([place, "version"]).exitCode).toBe(0)
    expect(readdirSync(space.home)).toEqual([".local"])
  })

  test("replaces an older version in a folder with a space in its name", async () => {
    using space = new Workspace()
    using server = new ReleaseServer()
    server.add(own, program(space, "9.9.9"))
    const folder = join(space.dir, "my programs")
    mkdirSync(folder)
    writeFileSync(join(folder, "aman"), "#!/bin/sh\necho old\n", { mode: 0o755 })
    const { code, stdout } = await install(space, server, {
      AMAN_INSTALL_DIR: folder,
      PATH: `${folder}:${process.env["PATH"]}`,
    })
    expect({ code, stdout }).toEqual({ code: 0, stdout: `aman 9.9.9 is installed: ${folder}/aman\n` })
    expect(Bun.spawnSync([join(folder, "aman")]).stdout.toString()).toBe("aman 9.9.9\n")
    expect(readdirSync(folder)).toEqual(["aman"])
  })

  const REFUSED: readonly (readonly [string, (server: ReleaseServer) => void, string])[] = [
    [
      "a wrong checksum",
      (server) => server.sum((line) => line.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))),
      "the checksum of",
    ],
    [
      "no entry for the archive",
      (server) => server.sum((line) => line.replace(own, `${own}.sig`)),
      "do not name",
    ],
    ["a checksum that is none", (server) => server.sum((line) => line.slice(10)), "is none"],
    ["no checksums at all", (server) => void server.files.delete("checksums.txt"), "could not download"],
    ["no archive", (server) => void server.files.delete(own), "could not download"],
    [
      "a download that was cut",
      (server) => void server.files.set(own, server.files.get(own)!.slice(0, 100)),
      "the checksum of",
    ],
    ["an archive without the program", (server) => server.add(own, script, "other"), "holds no program"],
  ]
  test.each(REFUSED)("installs nothing with %s and keeps the old version", async (_, spoil, message) => {
    using space = new Workspace()
    using server = new ReleaseServer()
    server.add(own, program(space, "9.9.9"))
    spoil(server)
    await staysOld(space, server, {}, message)
  })

  test("installs nothing that does not start", async () => {
    using space = new Workspace()
    using server = new ReleaseServer()
    const broken = join(space.dir, "broken")
    writeFileSync(broken, "#!/bin/sh\necho cannot load >&2\nexit 127\n", { mode: 0o755 })
    server.add(own, broken)
    await staysOld(space, server, {}, "cannot load\naman: the program does not start here")
  })

  test("installs nothing if no program computes SHA-256", async () => {
    using space = new Workspace()
    using server = new ReleaseServer()
    server.add(own, program(space, "9.9.9"))
    const few = tools(space, [
      "uname",
      "mktemp",
      "curl",
      "wget",
      "tar",
      "gzip",
      "awk",
      "cut",
      "mkdir",
      "cp",
      "chmod",
      "mv",
      "rm",
      "cat",
      "ldd",
      "bash",
      "sh",
      "sysctl",
    ])
    await staysOld(space, server, { PATH: few }, "nothing here can compute SHA-256")
  })

  test("refuses plain http and unknown hosts", async () => {
    using space = new Workspace()
    using server = new ReleaseServer()
    const plain = await install(space, server, { AMAN_BASE_URL: "http://example.com/aman" })
    expect(plain).toMatchObject({ code: 1, stderr: "aman: AMAN_BASE_URL must begin with https://\n" })
    const disguised = await install(space, server, { AMAN_BASE_URL: "http://127.0.0.1.example.com/aman" })
    expect(disguised.code).toBe(1)
    const unknown = await install(space, server, { AMAN_BASE_URL: "" })
    expect(unknown.stderr).toContain("does not know where aman is released")
  })

  const SYSTEMS: readonly (readonly [string, string, string, string, string])[] = [
    ["Linux", "x86_64", "ldd (Debian GLIBC 2.36)", "0", "aman_linux_amd64.tar.gz"],
    ["Linux", "aarch64", "ldd (Ubuntu GLIBC 2.39)", "0", "aman_linux_arm64.tar.gz"],
    ["Linux", "x86_64", "musl libc (x86_64)", "0", "aman_linux_amd64_musl.tar.gz"],
    ["Linux", "aarch64", "musl libc (aarch64)", "0", "aman_linux_arm64_musl.tar.gz"],
    ["Darwin", "arm64", "", "0", "aman_darwin_arm64.tar.gz"],
    ["Darwin", "x86_64", "", "0", "aman_darwin_amd64.tar.gz"],
    ["Darwin", "x86_64", "", "1", "aman_darwin_arm64.tar.gz"],
  ]
  test.each(SYSTEMS)(
    "on %s %s with %p (translated: %s) downloads %s",
    async (system, arch, ldd, translated, name) => {
      using space = new Workspace()
      using server = new ReleaseServer()
      server.add(name, program(space, "9.9.9"))
      const { code, stderr } = await install(space, server, {
        PATH: pretend(space, { system, arch, ldd, translated }),
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(server.asked).toEqual(["checksums.txt", name])
    },
  )

  test("names a system without a release", async () => {
    using space = new Workspace()
    using server = new ReleaseServer()
    const on = (system: string, arch: string) =>
      install(space, server, { PATH: pretend(space, { system, arch, ldd: "", translated: "0" }) })
    expect((await on("SunOS", "x86_64")).stderr).toStartWith("aman: there is no aman for SunOS\n")
    expect((await on("Linux", "riscv64")).stderr).toStartWith("aman: there is no aman for Linux on riscv64\n")
    expect((await on("MINGW64_NT-10.0", "x86_64")).stderr).toContain("use install.ps1 in PowerShell")
    expect(server.asked).toEqual([])
  })

  test("does nothing when the script is cut off on its way to the shell", async () => {
    using space = new Workspace()
    using server = new ReleaseServer()
    server.add(own, program(space, "9.9.9"))
    const text = readFileSync(script, "utf8")
    for (let part = 1; part < 20; part++) {
      const cut = text.slice(0, Math.floor((text.lastIndexOf("main") * part) / 20))
      Bun.spawnSync(["sh"], { stdin: Buffer.from(cut), env: { ...space.env, AMAN_BASE_URL: server.url } })
    }
    expect(server.asked).toEqual([])
    expect(existsSync(join(space.home, ".local"))).toBe(false)
  })

  test.skipIf(Bun.which("shellcheck") === null)("passes shellcheck", () => {
    const { stdout } = Bun.spawnSync(["shellcheck", "--shell=sh", script])
    expect(stdout.toString()).toBe("")
  })
})

async function install(space: Workspace, server: ReleaseServer, env: Record<string, string> = {}) {
  const child = Bun.spawn(["sh"], {
    // The shell reads the script from stdin, as with `curl … | sh`.
    stdin: Bun.file(script),
    cwd: space.project,
    env: { ...space.env, AMAN_BASE_URL: server.url, ...env },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, stdout, stderr }
}

async function staysOld(
  space: Workspace,
  server: ReleaseServer,
  env: Record<string, string>,
  message: string,
) {
  const folder = join(space.home, ".local", "bin")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "aman"), "old")
  const { code, stdout, stderr } = await install(space, server, env)
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toContain(message)
  expect(readdirSync(folder)).toEqual(["aman"])
  expect(readFileSync(join(folder, "aman"), "utf8")).toBe("old")
  // The folder for temporary files is empty, too.
  expect(readdirSync(space.dir).filter((name) => name.startsWith("tmp."))).toEqual([])
}

/** A program to install that prints its version; the first test installs the real one. */
function program(space: Workspace, version: string): string {
  const path = join(space.dir, "program")
  writeFileSync(path, `#!/bin/sh\necho 'aman ${version}'\n`, { mode: 0o755 })
  return path
}

/** A PATH that contains only these of the machine's programs. */
function tools(space: Workspace, names: readonly string[]): string {
  const folder = join(space.dir, "few")
  mkdirSync(folder)
  for (const name of names) {
    const path = Bun.which(name)
    if (path) symlinkSync(path, join(folder, name))
  }
  return folder
}

type System = {
  readonly system: string
  readonly arch: string
  readonly ldd: string
  readonly translated: string
}

/** A PATH with replacements of `uname` and similar programs, which report another system. */
function pretend(space: Workspace, { system, arch, ldd, translated }: System): string {
  const folder = join(space.dir, "pretend")
  mkdirSync(folder, { recursive: true })
  const says = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  says("uname", `[ "$1" = -m ] && echo '${arch}' || echo '${system}'`)
  says("ldd", `echo '${ldd}' >&2\nexit 1`)
  says("sysctl", `echo ${translated}`)
  return `${folder}:${process.env["PATH"]}`
}
