/**
 * Trains the built-in table of word vectors on public repositories, reproducibly:
 *
 *   bun packages/lab/train.ts --mirrors DIR --never never-train.txt [--exclude DIR]... [--work DIR] [--seed 1]
 *
 * DIR holds bare repositories as OWNER+NAME/repo, at the commits of packages/lab/train/repositories.json. Files with the
 * bytes of one in an --exclude folder (or bare repository) are not used. Writes models/aman256.bin and its checksum, and
 * prints the figures for its model card. Stores the pairs in the folder --work, which may be removed at any time.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Corpus, readCorpus } from "./train/corpus.ts"
import { extractAll } from "./train/extract-all.ts"
import { forbiddenFiles, neverTrained } from "./train/forbidden.ts"
import { PAIR_KINDS } from "./train/pair.ts"
import { quantizeTable } from "./train/quantize-table.ts"
import repositories from "./train/repositories.json" with { type: "json" }
import { TRAIN_OPTIONS, trainTable } from "./train/train-table.ts"

const MODELS = join(import.meta.dir, "../../models")

const { values: options } = parseArgs({
  options: {
    mirrors: { type: "string" },
    never: { type: "string", default: "../shared/bench/never-train.txt" },
    exclude: { type: "string", multiple: true, default: [] },
    work: { type: "string", default: join(import.meta.dir, "../../.train") },
    workers: { type: "string", default: "2" },
    seed: { type: "string", default: String(TRAIN_OPTIONS.seed) },
    out: { type: "string", default: join(MODELS, "aman256.bin") },
  },
})
if (!options.mirrors) {
  console.error("train: --mirrors DIR is needed (bare repositories as OWNER+NAME/repo)")
  process.exit(2)
}
const never = neverTrained(options.never)
const refused = repositories.filter(({ name }) => never.has(name.toLowerCase()))
if (refused.length > 0) throw new Error(`must not be learnt from: ${refused.map(({ name }) => name)}`)

mkdirSync(options.work, { recursive: true })
const started = performance.now()
const seconds = () => `${((performance.now() - started) / 1000).toFixed(0)} s`
const forbidden = forbiddenFiles(options.exclude)
console.log(`${forbidden.size} files are not to be learnt from (${seconds()})`)
const kept = await extractAll(repositories, {
  mirrors: options.mirrors,
  pairs: join(options.work, "pairs"),
  forbidden,
  workers: Number(options.workers),
  onDone: ({ name, files, excluded, kinds, error }) => {
    const counts = PAIR_KINDS.map((kind, i) => `${kind} ${kinds[i] ?? 0}`).join(", ")
    console.log(
      error === null ? `${name}: ${files} files, ${excluded} left out; ${counts}` : `${name}: ${error}`,
    )
  },
})
console.log(`${kept.length} repositories (${seconds()})`)
if (kept.length < repositories.length) throw new Error("a repository could not be read: see above")

const corpus = readCorpus(kept)
describe(corpus)
const table = trainTable(corpus, {
  ...TRAIN_OPTIONS,
  seed: Number(options.seed),
  onStep: (step, steps, loss) => {
    if (step % 200 === 0 || step === steps)
      console.log(`step ${step} of ${steps}: loss ${loss.toFixed(3)} (${seconds()})`)
  },
})
const bytes = quantizeTable(table, corpus.words.hashes, TRAIN_OPTIONS.dimensions)
const sum = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
writeFileSync(options.out, bytes)
writeFileSync(options.out.replace(/\.bin$/u, ".sha256"), `${sum}\n`)
console.log(`${options.out}: ${bytes.length} bytes, sha256 ${sum} (${seconds()})`)

function describe({ words, ids, kinds }: Corpus): void {
  console.log(
    `${words.counts.length} words, ${kinds.length} pairs, ${ids.length} different words in their texts`,
  )
  for (const [kind, name] of PAIR_KINDS.entries())
    console.log(`  ${name}: ${kinds.filter((of) => of === kind).length}`)
}
