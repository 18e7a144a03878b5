/**
 * Writes THIRD_PARTY_NOTICES: everything in the binary that others have made, with its licence.
 *
 *   bun scripts/notices.ts
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { embeddedPackages, packageFacts } from "./release/embedded-packages.ts"
import { mitText } from "./release/mit.ts"

const project = join(import.meta.dir, "..")
export const NOTICES = join(project, "THIRD_PARTY_NOTICES")

/** Grammars that are part of another package, which names their repositories but not their authors. */
const INSIDE: readonly (readonly [name: string, holder: string])[] = [
  ["tree-sitter-dart", "Copyright (c) 2020-2022 UserNobody14 and others"],
  ["tree-sitter-elm", "Copyright (c) 2018 Kolja Lampe"],
  ["tree-sitter-gdscript", "Copyright (c) 2016 Max Brunsfeld, 2020 Preston Knopp"],
  ["tree-sitter-r", "Copyright (c) 2019 Jim Hester, r-lib and others"],
  ["tree-sitter-swift", "Copyright (c) 2021 alex-pinkus"],
  ["tree-sitter-vue", "Copyright (c) Ika <ikatyang@gmail.com> (https://github.com/ikatyang)"],
]

/** pdf.js is part of unpdf, whose licence names only its own authors. The text of its licence is that of another package. */
const PDF_JS = { name: "pdf.js (in unpdf)", holder: "Copyright Mozilla Foundation", licenseOf: "usearch" }

const REDISTRIBUTABLE: ReadonlySet<string> = new Set([
  "MIT",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "Unlicense",
])

type Notice = { readonly name: string; readonly license: string; readonly text: string }

export async function notices(): Promise<string> {
  const packages = (await embeddedPackages()).map(noticeOf)
  const inside = INSIDE.map(([name, holder]): Notice => ({ name, license: "MIT", text: mitText(holder) }))
  const pdfjs: Notice = {
    name: PDF_JS.name,
    license: "Apache-2.0",
    text: `${PDF_JS.holder}\n\n${licenseText(PDF_JS.licenseOf)}`,
  }
  const all = [...packages, ...inside, pdfjs]
  for (const { name, license } of all) {
    if (!mayBePassedOn(license))
      throw new Error(`${name} is under ${license || "no licence"}: not known to be redistributable`)
  }
  return [
    "aman is under the licence in LICENSE. Inside the binary is also what follows, each under its own licence.",
    section(`Bun ${Bun.version}`, bunNotice()),
    ...byText(all).map(([text, names]) => section(names.join("\n"), text)),
    "",
  ].join("\n\n")
}

/**
 * True for a licence that allows distribution inside a program of another licence, together with its notice.
 */
export function mayBePassedOn(license: string): boolean {
  return REDISTRIBUTABLE.has(license)
}

function noticeOf(folder: string): Notice {
  const { name, version, license, author } = packageFacts(folder)
  return { name: `${name} ${version}`, license, text: licenseText(folder) ?? fallback(license, author) }
}

function licenseText(folder: string): string | null {
  const path = join(project, "node_modules", folder)
  const files = readdirSync(path)
    .filter((file) => /^(?:licen[sc]e|copying|notice)(?:[.-]|$)/i.test(file))
    .sort()
  const texts = files.map((file) => readFileSync(join(path, file), "utf8").replaceAll("\r\n", "\n").trim())
  return texts.length === 0 ? null : texts.join("\n\n")
}

function fallback(license: string, author: string): string {
  if (license === "ISC" && author !== "") return iscText(`Copyright (c) ${author}`)
  if (license !== "MIT" || author === "")
    throw new Error(`no text of ${license || "a licence"} by ${author || "nobody"}`)
  return mitText(`Copyright (c) ${author}`)
}

function iscText(copyright: string): string {
  return `ISC License

${copyright}

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`
}

/** Bun's notice about its own parts, from the documentation in its package. */
function bunNotice(): string {
  const text = readFileSync(
    join(project, "node_modules", "bun-types", "docs", "project", "license.mdx"),
    "utf8",
  )
  const body = text
    .replace(/^---\n.*?\n---\n/s, "")
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/-{4,}/g, "---")
    .trim()
  return `${body}\n\nBun's own licence:\n\n${mitText("Copyright (c) Oven and the contributors to Bun")}`
}

/** Groups packages by licence text, because many share the same one, which is then printed once. */
function byText(all: readonly Notice[]): [string, string[]][] {
  const groups = new Map<string, string[]>()
  for (const { name, license, text } of all) {
    const names = groups.get(text) ?? []
    groups.set(text, [...names, `${name} (${license})`])
  }
  return [...groups]
}

function section(title: string, text: string): string {
  return `${"=".repeat(80)}\n${title}\n${"=".repeat(80)}\n\n${text}`
}

if (import.meta.main) writeFileSync(NOTICES, await notices())
