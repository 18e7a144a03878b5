import { CMAKE, DOCKERFILE, MAKEFILE, NIX } from "./builds.ts"
import { ASCIIDOC, ORG, TEX, UNDERLINED } from "./documents.ts"
import { GENERIC } from "./generic.ts"
import type { RuleSet } from "./rule.ts"
import { GRAPHQL, PROTO, SQL, THRIFT } from "./schemas.ts"
import { PERL, POWERSHELL, R } from "./scripts.ts"
import { SCSS } from "./styles.ts"

/** One entry per language or family. The rules of a family are used only if the language has none of its own. */
const RULES: Readonly<Record<string, RuleSet>> = {
  ...every(
    GENERIC.slash,
    "c cpp csharp d dart go groovy java javascript kotlin objective-c rust scala shader",
  ),
  ...every(
    GENERIC.slash,
    "devicetree gleam rescript solidity swift tsx typescript verilog vue svelte astro zig",
  ),
  ...every(GENERIC.hash, "awk bash bazel crystal elixir fish julia meson nim python ruby tcl"),
  ...every(GENERIC.hashOrSlash, "php terraform"),
  ...every(GENERIC.dash, "agda elm haskell lua purescript vhdl"),
  ...every(GENERIC.star, "fsharp fsharp-signature ocaml pascal"),
  ...every(GENERIC.semicolon, "assembly clojure emacs-lisp lisp"),
  ...every(GENERIC.percent, "erlang"),
  ...every(GENERIC.apostrophe, "visual-basic"),
  ...every(GENERIC.exclamation, "fortran"),
  asciidoc: ASCIIDOC,
  cmake: CMAKE,
  dockerfile: DOCKERFILE,
  graphql: GRAPHQL,
  makefile: MAKEFILE,
  nix: NIX,
  org: ORG,
  perl: PERL,
  powershell: POWERSHELL,
  proto: PROTO,
  r: R,
  rst: UNDERLINED,
  scss: SCSS,
  sql: SQL,
  tex: TEX,
  text: UNDERLINED,
  thrift: THRIFT,
}

/** The rules of a language; null if rows do not show what is defined (data, templates). */
export function rulesOf(languageId: string): RuleSet | null {
  return Object.hasOwn(RULES, languageId) ? RULES[languageId]! : null
}

function every(rules: RuleSet, ids: string): Record<string, RuleSet> {
  return Object.fromEntries(ids.split(" ").map((id) => [id, rules]))
}
