import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { binary, Workspace } from "./harness.ts"

const FILES: Readonly<Record<string, string>> = {
  "go.mod": "module x\n",
  ".gitignore": "build/\n*.log\n",
  ".github/ci.yml": "run: needle\n",
  "a.txt": "one\nneedle two\nthree\nfour\nfive\nsix needle Needle\nseven\n",
  "package-lock.json": '{ "needle": 1 }\n',
  "lib/app.min.js": "var needle=1;\n",
  "lib/größe.py": "größe = 'needle'\n",
  "build/out.txt": "needle ignored\n",
  "x.log": "needle ignored\n",
  ".env": "NEEDLE=needle secret\n",
  "deploy/server.key": "needle secret\n",
  "dos.txt": "needle\r\nend\r\n",
}

let space: Workspace
beforeAll(() => {
  space = new Workspace(FILES)
  space.write("data.bin", "needle\0\0\0needle\n")
  writeFileSync(join(space.dir, "outside.txt"), "needle outside\n")
  symlinkSync(join(space.dir, "outside.txt"), join(space.project, "link.txt"))
  symlinkSync(space.dir, join(space.project, "linked"))
  writeFileSync(join(space.project, "utf16.txt"), Buffer.from("\ufeffa needle\n", "utf16le"))
  writeFileSync(join(space.project, "latin1.txt"), Buffer.from("// Größe für needle\n", "latin1"))
})
afterAll(() => space[Symbol.dispose]())

const grep = (...args: string[]) => space.run(["grep", ...args])

describe("prints as ripgrep does", () => {
  test("path, line and text, sorted by path; without ignored files, secrets, binaries and links", async () => {
    expect(await grep("needle")).toEqual({
      code: 0,
      stderr: "note: not searched: 2 files that may hold keys or passwords\n",
      stdout: `.github/ci.yml:1:run: needle
a.txt:2:needle two
a.txt:6:six needle Needle
dos.txt:1:needle
latin1.txt:1:// Größe für needle
lib/app.min.js:1:var needle=1;
lib/größe.py:1:größe = 'needle'
package-lock.json:1:{ "needle": 1 }
utf16.txt:1:a needle
`,
    })
  })

  test.each<[string, string[], string]>([
    [
      "context",
      ["-C1", "needle", "a.txt", "dos.txt"],
      "a.txt-1-one\na.txt:2:needle two\na.txt-3-three\n--\na.txt-5-five\na.txt:6:six needle Needle\na.txt-7-seven\n--\ndos.txt:1:needle\ndos.txt-2-end\n",
    ],
    ["context after", ["-A", "1", "-m1", "needle", "a.txt"], "2:needle two\n3-three\n"],
    ["context before", ["-B1", "needle two", "a.txt"], "1-one\n2:needle two\n"],
    ["no path for one file", ["needle", "dos.txt"], "1:needle\n"],
    ["no numbers", ["-N", "two", "."], "a.txt:needle two\n"],
    ["counts", ["-c", "-g", "*.txt", "needle"], "a.txt:2\ndos.txt:1\nlatin1.txt:1\nutf16.txt:1\n"],
    ["a count alone", ["-c", "needle", "a.txt"], "2\n"],
    ["file names", ["-l", "needle", "lib"], "lib/app.min.js\nlib/größe.py\n"],
    ["only what matches", ["-oi", "n\\w+e", "a.txt"], "2:needle\n6:needle\n6:Needle\n"],
    ["matches counted", ["-coi", "needle", "a.txt"], "3\n"],
    ["only what matches, in context", ["-o", "-A1", "two", "a.txt"], "2:two\n3-three\n"],
    ["inverted", ["-v", "-n", "e|x|u", "a.txt"], ""],
    ["inverted, of some", ["-v", "needle|e$", "a.txt"], "4:four\n7:seven\n"],
    ["whole words", ["-w", "gr..e", "lib"], "lib/größe.py:1:größe = 'needle'\n"],
    ["plain text", ["-F", "größe = '", "."], "lib/größe.py:1:größe = 'needle'\n"],
    ["a language", ["-t", "py", "needle"], "lib/größe.py:1:größe = 'needle'\n"],
    ["the end of a DOS line", ["needle$", "dos.txt"], "1:needle\n"],
    ["a dash", ["-c", "--", "-needle", "a.txt"], ""],
    ["a dash in -e", ["-e", "-needle", "-e", "^four", "a.txt"], "4:four\n"],
    ["any of several patterns", ["-e", "^one", "-e", "n$", "a.txt"], "1:one\n7:seven\n"],
    [
      "any of several texts",
      ["-F", "-e", "var needle=", "-e", "= 'n", "lib", "-c"],
      "lib/app.min.js:1\nlib/größe.py:1\n",
    ],
    ["smart case of a small word", ["-S", "-o", "needle", "a.txt"], "2:needle\n6:needle\n6:Needle\n"],
    ["smart case of a capital", ["-S", "-o", "Needle", "a.txt"], "6:Needle\n"],
    ["smart case of an escape", ["-So", "\\Sneedl\\S| n\\w+", "a.txt"], "6: needle\n6: Needle\n"],
    ["case after all", ["-S", "-s", "-o", "needle", "a.txt"], "2:needle\n6:needle\n"],
    ["whole lines", ["-x", "one|two|fi.e", "a.txt"], "1:one\n5:five\n"],
    ["whole lines of text", ["-xF", "f.ur", "a.txt"], ""],
    ["replaced", ["-r", "<$0>", "two|six", "a.txt"], "2:needle <two>\n6:<six> needle Needle\n"],
    [
      "groups replaced",
      ["-or", "${2}-$1$$", "(n\\w+)e (?P<n>\\w+)", "a.txt"],
      "2:two-needl$\n6:Needle-needl$\n",
    ],
    ["named groups replaced", ["-or", "$n$none", "needle (?P<n>\\w+)", "a.txt"], "2:two\n6:Needle\n"],
    ["groups of a whole word replaced", ["-wor", "$1", "(t)wo", "a.txt"], "2:t\n"],
    ["files without", ["--files-without-match", "needle", "-g", "*.txt", "-g", "go.mod"], "go.mod\n"],
    ["nothing, quietly", ["-q", "needle two"], ""],
    ["the path of one file", ["-H", "two", "a.txt"], "a.txt:2:needle two\n"],
    ["no paths", ["-I", "-N", "needle", "a.txt", "dos.txt"], "needle two\nsix needle Needle\nneedle\n"],
    ["a type", ["--type", "py", "--hidden", "--no-heading", "needle"], "lib/größe.py:1:größe = 'needle'\n"],
  ])("%s", async (_, args, stdout) => {
    const isMatch = stdout !== "" || args.includes("-q")
    expect(await grep(...args)).toMatchObject({ code: isMatch ? 0 : 1, stdout })
  })

  test("below the working directory, with paths relative to it", async () => {
    const cwd = join(space.project, "lib")
    expect((await space.run(["grep", "-l", "needle"], { cwd })).stdout).toBe("app.min.js\ngröße.py\n")
    expect((await space.run(["grep", "-l", "needle", "../dos.txt"], { cwd })).stdout).toBe("../dos.txt\n")
    const outside = await space.run(["grep", "-l", "--root", space.project, "needle", "lib"], {
      cwd: space.dir,
    })
    expect(outside.stdout).toBe("lib/app.min.js\nlib/größe.py\n")
  })

  test("searches an ignored file that is named, but never a secret file", async () => {
    expect((await grep("needle", "build")).stdout).toBe("build/out.txt:1:needle ignored\n")
    expect((await grep("needle", "x.log")).stdout).toBe("1:needle ignored\n")
    for (const path of [
      ".env",
      "deploy/server.key",
      "link.txt",
      "linked",
      "../outside.txt",
      "/etc/passwd",
      ".git",
    ]) {
      expect(await grep("needle", path)).toMatchObject({ code: 2, stdout: "" })
    }
  })
})

test("takes flags of grep that are typed out of habit, and never replaces by accident", async () => {
  const plain = await grep("needle", "a.txt")
  for (const flags of ["-rn", "-Rn", "-rnE", "-rnw"])
    expect((await grep(flags, "needle", "a.txt")).stdout).toBe(plain.stdout)
  expect((await grep("-rnil", "NEEDLE", "lib")).stdout).toBe("lib/app.min.js\nlib/größe.py\n")
  expect((await grep("-rX", "needle", "a.txt")).stdout).toStartWith("2:X two\n")
  for (const [flags, path] of [
    ["-r", "lib"],
    ["-r", "."],
    ["-nr", "a.txt"],
  ] as const)
    expect(await grep(flags, "needle", path)).toEqual({
      code: 2,
      stdout: "",
      stderr: `aman: -r replaces each match of "${path}" by "needle", as in ripgrep
hint: folders are always searched: aman grep "needle" ${path}; or give the pattern with -e
`,
    })
})

test("an unknown flag names the one that has its word", async () => {
  const { code, stderr } = await space.run(["context", "--tokens", "600", "the needle"])
  expect([code, stderr]).toEqual([2, "aman: unknown flag --tokens\nhint: did you mean --max-tokens?\n"])
})

test("searches stdin", async () => {
  const stdin = "a needle\nb\nneedle c\n"
  expect(await space.run(["grep", "needle", "-"], { stdin })).toMatchObject({
    code: 0,
    stdout: "a needle\nneedle c\n",
  })
  expect((await space.run(["grep", "-n", "^n", "-"], { stdin })).stdout).toBe("3:needle c\n")
  expect(await space.run(["grep", "-c", "nothing", "-"], { stdin })).toMatchObject({ code: 1, stdout: "" })
})

test("exits with 1 without matches and with 2 for invalid input; stderr says why", async () => {
  const nothing = await grep("nowhere to be found")
  expect(nothing).toMatchObject({ code: 1, stdout: "" })
  expect(nothing.stderr).toContain("2 files that may hold keys or passwords")
  const wrong = await grep("a(b")
  expect(wrong).toMatchObject({ code: 2, stdout: "" })
  expect(wrong.stderr).toContain("missing closing ) at character 2")
  expect(wrong.stderr).toContain("hint: ")
  expect(await grep()).toMatchObject({ code: 2 })
  expect(await grep("x", "none.txt")).toMatchObject({ code: 2 })
  expect(await grep("x", "-t", "klingon")).toMatchObject({ code: 2 })
  expect(await grep("x", "-C", "many")).toMatchObject({ code: 2 })
})

test.each([
  ["-U", "matching is line by line"],
  ["-P", "no time bound"],
  ["--no-ignore", "give their path"],
  ["-uu", "give their path"],
  ["--sort=path", "sorted by path"],
  ["--pre", "no other program is run"],
  ["-f", "with -e"],
])("explains an unsupported flag of ripgrep: %s", async (flag, why) => {
  const { code, stdout, stderr } = await grep(flag, "needle")
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  expect(stderr).toContain(`no flag ${flag.split("=")[0]} here`)
  expect(stderr).toContain(why)
})

test("prints JSON: files with lines and match offsets, and skipped files", async () => {
  const answer = await space.json(["grep", "-C1", "two", "a.txt"])
  expect(answer).toMatchObject({
    pattern: "two",
    files: [
      {
        path: "a.txt",
        language: "text",
        count: 1,
        lines: [
          { line: 1, text: "one", match: false },
          { line: 2, text: "needle two", match: true, spans: [[7, 10]] },
          { line: 3, text: "three", match: false },
        ],
      },
    ],
    searched: 1,
    total: 1,
  })
  const { files } = await space.json(["grep", "-r", "$1!", "t(.)o", "a.txt"])
  expect(files[0].lines[0]).toMatchObject({ spans: [[7, 10]], replacements: ["w!"] })
  expect((await space.json(["grep", "needle"])).left_out).toMatchObject({
    secret: 2,
    ignored: 2,
    binary: 1,
    link: 2,
  })
})

test("ends quietly when the reader closes the pipe", async () => {
  using big = new Workspace()
  for (let at = 0; at < 40; at++) big.write(`f${at}.txt`, "a line with a needle\n".repeat(5000))
  const shell = `"$AMAN" grep needle | head -1; echo "\${PIPESTATUS[0]}"`
  const child = Bun.spawn(["bash", "-c", shell], {
    cwd: big.project,
    env: { ...big.env, AMAN: binary },
    stderr: "pipe",
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), child.stderr.text()])
  expect(stdout).toBe("f0.txt:1:a line with a needle\n0\n")
  expect(stderr).toBe("")
})

test("searches files above the index's limit, and reports enormous ones that are skipped", async () => {
  using big = new Workspace()
  big.write("large.txt", `${"filler ".repeat(200_000)}\nneedle\n`)
  big.write("sparse.txt", "needle\n")
  truncateSync(join(big.project, "sparse.txt"), 10 * 1024 ** 3)
  const { stdout, stderr } = await big.run(["grep", "needle"])
  expect(stdout).toBe("large.txt:2:needle\n")
  expect(stderr).toContain("not searched: 1 file larger than 32 MiB")
})

test("search --mode prints what grep does, also more lines than an answer has on one page", async () => {
  const line = (at: number) => `${at} ${"needle.".repeat(20)}\n`
  const file = Array.from({ length: 1500 }, (_, at) => line(at)).join("")
  using large = new Workspace({
    "a.txt": file,
    "b/b.txt": file,
    "b/c.txt": `${file}needle\n`,
    "d.md": "needle\n",
  })
  const grepped = await large.run(["grep", "-F", "needle"])
  expect(grepped.stdout.split("\n")).toHaveLength(4503)
  expect(await large.run(["search", "--mode", "exact", "needle"])).toEqual(grepped)
  expect(await large.run(["search", "--mode", "regex", "--path", "b", "--ext", "txt", "^ne+dle$"])).toEqual({
    ...{ code: 0, stdout: "b/c.txt:1501:needle\n", stderr: "" },
  })
  const page = ["search", "--mode", "exact", "--offset", "2", "-n", "1", "needle"] as const
  expect(await large.run(page)).toEqual(await large.run(["grep", "-F", "-H", "needle", "b/c.txt"]))
  const { code, stderr } = await large.run(["search", "--mode", "exact", "--kind", "class", "needle"])
  expect([code, stderr]).toEqual([2, expect.stringContaining("--kind cannot be combined with --mode exact")])
})

test("does not hang on a FIFO, and no pattern is slow", async () => {
  using odd = new Workspace({ "a.txt": `${"a".repeat(30_000)}!\n` })
  mkdirSync(join(odd.project, "empty"))
  Bun.spawnSync(["mkfifo", join(odd.project, "pipe")])
  expect(await odd.run(["grep", "(a+)+$"])).toMatchObject({ code: 1, stdout: "" })
  expect(await odd.run(["grep", "-c", "(a|aa)+!"])).toMatchObject({ code: 0, stdout: "a.txt:1\n" })
  expect(await odd.run(["grep", "x", "pipe"])).toMatchObject({ code: 1, stdout: "" })
})

test("groups by file name in colour on a terminal, without control characters", async () => {
  using odd = new Workspace({ "a\x1b]0;evil\x07.txt": "x needle \x1b[2J\u202e y\n" })
  let written = ""
  const child = Bun.spawn([binary, "grep", "needle"], {
    cwd: odd.project,
    env: { ...odd.env, TERM: "xterm-256color" },
    terminal: {
      cols: 80,
      rows: 20,
      data: (_, data) => {
        written += new TextDecoder().decode(data)
      },
    },
  })
  await child.exited
  child.terminal?.close()
  expect(written).toContain("\x1b[31mneedle")
  expect(Bun.stripANSI(written)).toBe("a\ufffd]0;evil\ufffd.txt\r\n1:x needle \ufffd[2J\ufffd y\r\n")
})
