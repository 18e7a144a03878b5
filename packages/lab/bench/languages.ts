import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isGeneratedDocs } from "../../../src/parse/languages/generated-docs.ts"
import { languageOf } from "../../../src/parse/languages/languages.ts"
import { loadConfig } from "../../../src/base/config/load.ts"
import { scanProject } from "../../../src/tree/scan/scan-folder.ts"
import { scanOptionsOf } from "../../../src/tree/scan/scan-snapshot.ts"
import { readSource } from "../../../src/text/files/read-source.ts"
import { runColdIndex } from "./processes.ts"
import type { Bench } from "./section.ts"
import type { Table } from "./table.ts"

type Found = { readonly from: string; readonly to: string; readonly bytes: number }

const GENERATED_DOCS = "generated documentation"
/** Min files of a language: with fewer, most of the time is the program's start. */
const MIN_FILES = 20
const MAX_FILES = 1_000
/**
 * Numbers of members of the generated javadoc pages, chosen so that their sizes are those of the JDK 17: half
 * of the pages are smaller than 11 KB, the mean is 26 KB.
 */
const MEMBERS = [4, 8, 12, 30, 80] as const

/**
 * Files per second of a first index, by language: each is measured on a tree that contains only files of that
 * language.
 */
export function languagesTable(bench: Bench): Table {
  const roots = [...bench.labels.map(({ root }) => root), ...bench.trees]
  const found = filesByLanguage(roots)
  if ((found.get(GENERATED_DOCS)?.length ?? 0) < MIN_FILES) found.set(GENERATED_DOCS, [])
  const rows = [...found]
    .filter(([name, files]) => files.length >= MIN_FILES || name === GENERATED_DOCS)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, files]) => rowOf(bench, name, files.slice(0, MAX_FILES)))
  return {
    title: `Files per second of a first index by language, at most ${MAX_FILES} files of each`,
    columns: [
      { name: "" },
      { name: "files", digits: 0 },
      { name: "MB", digits: 1 },
      { name: "files/s", digits: 0 },
      { name: "processor ms a file", digits: 1 },
      { name: "MB a processor second", digits: 1 },
    ],
    rows,
    notes: [
      `${GENERATED_DOCS}: pages of the corpus, else ${MAX_FILES} pages made after javadoc's`,
      "the start of the process is part of every row",
    ],
  }
}

function rowOf(bench: Bench, name: string, files: readonly Found[]) {
  const tree = join(bench.scratch, "languages", name.replace(/\W/g, "-"))
  rmSync(tree, { recursive: true, force: true })
  for (const { from, to } of files) {
    mkdirSync(dirname(join(tree, to)), { recursive: true })
    cpSync(from, join(tree, to))
  }
  const bytes = files.length > 0 ? files.reduce((sum, file) => sum + file.bytes, 0) : writeJavadoc(tree)
  const { report, wallMs, cpuMs } = runColdIndex(bench.binary, tree, `${tree}.index`)
  bench.note(`${name}: ${(wallMs / 1000).toFixed(2)} s`)
  return [
    name,
    report.files,
    bytes / 1e6,
    (report.files * 1000) / wallMs,
    cpuMs / report.files,
    bytes / 1e3 / cpuMs,
  ]
}

function filesByLanguage(roots: readonly string[]): Map<string, Found[]> {
  const found = new Map<string, Found[]>()
  for (const [at, root] of roots.entries()) {
    const config = loadConfig(root, {}, {})
    for (const { path } of scanProject(root, scanOptionsOf(config)).files) {
      const source = readSource(root, path, config.index.maxFileBytes)
      // Hidden files are left out, because the rules in some of them would apply to the copies.
      if ("reason" in source || /(?:^|\/)\./u.test(path)) continue
      const { text, size } = source
      const name = isGeneratedDocs(path, text) ? GENERATED_DOCS : languageOf(path, text).id
      const file = { from: join(root, path), to: `${at}/${path}`, bytes: size }
      found.set(name, [...(found.get(name) ?? []), file])
    }
  }
  return found
}

/** Writes pages with javadoc's mark and markup; returns their size in bytes. */
function writeJavadoc(tree: string): number {
  mkdirSync(tree, { recursive: true })
  let bytes = 0
  for (let at = 0; at < MAX_FILES; at++) {
    const page = javadocPage(`Widget${at}`, MEMBERS[at % MEMBERS.length]!)
    writeFileSync(join(tree, `Widget${at}.html`), page)
    bytes += page.length
  }
  return bytes
}

function javadocPage(name: string, members: number): string {
  const rows = Array.from({ length: members }, (_, at) => {
    const method = `read${name}Part${at}`
    return `<section class="detail" id="${method}(int)">
<h3>${method}</h3>
<div class="member-signature"><span class="modifiers">public</span>&nbsp;<span class="return-type"><a href="Part.html" title="class in example">Part</a></span>&nbsp;<span class="element-name">${method}</span>&#8203;<span class="parameters">(int&nbsp;index)</span></div>
<div class="block">Returns the part number ${at} of this widget, or the empty part where there is none.</div>
<dl class="notes"><dt>Parameters:</dt><dd><code>index</code> - where the part begins</dd>
<dt>Returns:</dt><dd>the part, never <code>null</code></dd></dl>
</section>`
  })
  return `<!DOCTYPE HTML>
<html lang="en"><head>
<!-- Generated by javadoc (17) on Mon Jan 01 00:00:00 UTC 2024 -->
<title>${name} (Example API)</title>
<meta name="generator" content="javadoc/ClassWriterImpl">
</head><body class="class-declaration-page">
<h1 title="Class ${name}" class="title">Class ${name}</h1>
${rows.join("\n")}
</body></html>
`
}
