import { WireWriter } from "./wire.ts"

/** Columns are counted in units of UTF-16. */
const UTF16 = 2
const TEXT_UTF8 = 1

export type ExportedDocument = {
  readonly path: string
  readonly language: string
  readonly occurrences: readonly ExportedOccurrence[]
  readonly symbols: readonly ExportedSymbol[]
}

/** 0-based; columns in units of UTF-16. */
export type ExportedOccurrence = {
  readonly symbol: string
  readonly roles: number
  readonly line: number
  readonly start: number
  readonly end: number
}

export type ExportedSymbol = { readonly symbol: string; readonly name: string; readonly signature: string }

/** The metadata of a SCIP index. It must be written before the documents. */
export function writeMetadata({
  version,
  root,
}: {
  readonly version: string
  readonly root: string
}): Uint8Array {
  const tool = new WireWriter().text(1, "aman").text(2, version)
  const metadata = new WireWriter().bytes(2, tool.finish()).text(3, root).number(4, TEXT_UTF8)
  return new WireWriter().bytes(1, metadata.finish()).finish()
}

/** A document as a field of an index. An index file is the metadata followed by the documents. */
export function writeDocument({ path, language, occurrences, symbols }: ExportedDocument): Uint8Array {
  const document = new WireWriter().text(1, path)
  for (const { symbol, roles, line, start, end } of occurrences)
    document.bytes(
      2,
      new WireWriter().packed(1, [line, start, end]).text(2, symbol).number(3, roles).finish(),
    )
  for (const { symbol, name, signature } of symbols)
    document.bytes(3, new WireWriter().text(1, symbol).text(3, signature).text(6, name).finish())
  document.text(4, language).number(6, UTF16)
  return new WireWriter().bytes(2, document.finish()).finish()
}

/** A package: its manager, such as npm, its name and its version. */
export type ScipPackage = { readonly manager: string; readonly name: string; readonly version: string }

const NO_PACKAGE: ScipPackage = { manager: ".", name: ".", version: "." }

/**
 * A symbol in SCIP's syntax: the scheme `aman`, the package, or dots if there is none, then the file and the names down
 * to the symbol, each with the suffix of its kind.
 */
export function symbolText(
  path: string,
  { owner, name, mark }: { readonly owner: string | null; readonly name: string; readonly mark: string },
  { manager, name: ofPackage, version }: ScipPackage = NO_PACKAGE,
): string {
  const holder = owner === null ? "" : `${quoted(owner)}#`
  const before = ["aman", manager, ofPackage, version].map((part) => part.replaceAll(" ", "  ")).join(" ")
  return `${before} ${quoted(path)}/${holder}${quoted(name)}${mark}`
}

function quoted(name: string): string {
  return /^[A-Za-z0-9_$+-]+$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``
}
