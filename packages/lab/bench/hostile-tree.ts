import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { extname, join } from "node:path"
import { damage, type Pick, seeded } from "../../../test/damage.ts"

const FIXTURES = join(import.meta.dir, "../../../test/fixtures")
const SEED = 4
const FILES_A_FOLDER = 100
/** One in this many files makes its parser use all the time that it is given. */
const BOMB_EVERY = 500
const ODD_EVERY = 5

/** Texts that, repeated, make the parser of some language take the most time or memory. */
const BOMBS = [
  "(",
  "[",
  "{",
  "a(",
  "x => ",
  "a<",
  "!",
  "else ",
  "[{",
  "<a>",
  "async ",
  "not ",
  "`${",
  "> - ",
  "\n\n> ",
]

type Source = { readonly name: string; readonly text: string }

/** Creates a tree of damaged, enormous, unreadable and misleading files once; the same on every machine. */
export function ensureHostileTree(root: string, files: number): void {
  const marker = `${root}.made`
  if (existsSync(marker)) return
  // Uses rm, because Bun's own removal follows links and fails on very deep folders.
  Bun.spawnSync(["rm", "-rf", root])
  mkdirSync(root, { recursive: true })
  const pick = seeded(SEED)
  const sources = ["languages", "rules"].flatMap((folder) =>
    readdirSync(join(FIXTURES, folder)).map((name) => ({
      name,
      text: readFileSync(join(FIXTURES, folder, name), "utf8"),
    })),
  )
  for (let file = 0; file < files; file++) {
    const folder = join(root, `d${Math.floor(file / FILES_A_FOLDER)}`)
    if (file % FILES_A_FOLDER === 0) mkdirSync(folder)
    writeOne(folder, file, sources[file % sources.length]!, pick)
  }
  nested(root)
  writeFileSync(marker, "")
}

function writeOne(folder: string, file: number, { name, text }: Source, pick: Pick): void {
  const path = join(folder, `f${file}${extname(name)}`)
  if (file % BOMB_EVERY === 0) {
    const piece = BOMBS[pick(BOMBS.length)]!
    writeFileSync(path, piece.repeat(Math.ceil((10_000 + pick(300_000)) / piece.length)))
  } else if (file % ODD_EVERY === 0) ODD[pick(ODD.length)]!(folder, file, pick)
  else writeFileSync(path, damage(text, pick))
}

/**
 * Makers of files that are no source code or only pretend to be. Names repeat from folder to folder on purpose.
 */
const ODD: readonly ((folder: string, file: number, pick: Pick) => void)[] = [
  (folder, file, pick) => writeFileSync(join(folder, `b${file}.bin`), noise(2000, pick)),
  (folder, file, pick) =>
    writeFileSync(
      join(folder, `invalid${file}.py`),
      noise(2000, pick).map((byte) => byte | 128),
    ),
  (folder, file) =>
    writeFileSync(join(folder, `wide${file}.py`), Buffer.from("\ufeffdef wide(): pass\n", "utf16le")),
  (folder, file) => writeFileSync(join(folder, `zero${file}.c`), `${"x\n".repeat(5000)}\0`),
  (folder, file) => writeFileSync(join(folder, `one-line${file}.js`), "var a=1;".repeat(5000)),
  (folder, file) => writeFileSync(join(folder, `blank${file}.py`), "\n \t".repeat(2000)),
  (folder, file) => writeFileSync(join(folder, `empty${file}.ts`), ""),
  (folder, file) => writeFileSync(join(folder, `${file}\u001b[2J\n\u202e.py`), "def odd_name(): pass\n"),
  (folder, file) =>
    writeFileSync(
      Buffer.concat([Buffer.from(`${folder}/${file}`), Buffer.of(0xff), Buffer.from(".py")]),
      "x = 1\n",
    ),
  (folder) => writeFileSync(join(folder, ".env"), "TOKEN=secret\n"),
  (folder, file) => link("/etc/passwd", join(folder, `passwd${file}`)),
  (folder, file) => link("..", join(folder, `loop${file}`)),
  (folder, file) => link(`gone${file}`, join(folder, `gone${file}`)),
  (folder, file) => void Bun.spawnSync(["mkfifo", join(folder, `pipe${file}.py`)]),
  (folder, file) => sparse(join(folder, `sparse${file}.py`)),
  (folder) =>
    writeFileSync(join(folder, ".gitignore"), `${"*".repeat(50)}a${"*b".repeat(50)}\n[\n!\\\n/**/**/x\n`),
  (folder, file) => writeFileSync(join(folder, `laughs${file}.yaml`), laughs()),
  (folder, file, pick) => {
    if (pick(100) === 0) writeFileSync(join(folder, `long${file}.txt`), `${"word ".repeat(200_000)}\n`)
  },
  (folder, file, pick) => {
    if (pick(100) === 0) writeFileSync(join(folder, `cells${file}.ipynb`), notebook(10_000))
  },
]

function noise(bytes: number, pick: Pick): Uint8Array {
  return Uint8Array.from({ length: bytes }, () => pick(256))
}

function link(target: string, path: string): void {
  rmSync(path, { force: true })
  symlinkSync(target, path)
}

function sparse(path: string): void {
  writeFileSync(path, "")
  truncateSync(path, 10 * 1024 ** 3)
}

/** YAML in which each line stands for the line above it nine times ("billion laughs"). */
function laughs(): string {
  const line = (_: unknown, at: number) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}*a${at}]\n`
  return `a0: &a0 lol\n${Array.from({ length: 20 }, line).join("")}`
}

function notebook(cells: number): string {
  const cell = { cell_type: "code", source: ["x = 1\n", "print(x)"], outputs: [], metadata: {} }
  return JSON.stringify({ cells: new Array(cells).fill(cell), metadata: {}, nbformat: 4 }, null, 1)
}

/** A hundred thousand nested folders; the path of the last one is too long for any program to open. */
function nested(root: string): void {
  const dig = 'for (1 .. 100000) { mkdir "d" or die; chdir "d" or die }'
  Bun.spawnSync(["perl", "-e", dig], { cwd: root })
}
