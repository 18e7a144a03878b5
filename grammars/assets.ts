// Written by scripts/grammars.ts from manifest.json; edit that instead.
// biome-ignore-all assist/source/organizeImports: generated in the manifest's order
import runtime from "web-tree-sitter/web-tree-sitter.wasm" with { type: "file" }
import bashQuery from "./bash/definitions.scm" with { type: "file" }
import cQuery from "./c/definitions.scm" with { type: "file" }
import objectiveCQuery from "./objective-c/definitions.scm" with { type: "file" }
import cppQuery from "./cpp/definitions.scm" with { type: "file" }
import csharpQuery from "./csharp/definitions.scm" with { type: "file" }
import elixirQuery from "./elixir/definitions.scm" with { type: "file" }
import goQuery from "./go/definitions.scm" with { type: "file" }
import haskellQuery from "./haskell/definitions.scm" with { type: "file" }
import javaQuery from "./java/definitions.scm" with { type: "file" }
import javascriptQuery from "./javascript/definitions.scm" with { type: "file" }
import kotlinQuery from "./kotlin/definitions.scm" with { type: "file" }
import luaQuery from "./lua/definitions.scm" with { type: "file" }
import phpQuery from "./php/definitions.scm" with { type: "file" }
import pythonQuery from "./python/definitions.scm" with { type: "file" }
import rubyQuery from "./ruby/definitions.scm" with { type: "file" }
import rustQuery from "./rust/definitions.scm" with { type: "file" }
import scalaQuery from "./scala/definitions.scm" with { type: "file" }
import swiftQuery from "./swift/definitions.scm" with { type: "file" }
import typescriptQuery from "./typescript/definitions.scm" with { type: "file" }
import zigQuery from "./zig/definitions.scm" with { type: "file" }
import texQuery from "./tex/definitions.scm" with { type: "file" }
import htmlQuery from "./html/definitions.scm" with { type: "file" }
import cssQuery from "./css/definitions.scm" with { type: "file" }
import vueQuery from "./vue/definitions.scm" with { type: "file" }
import svelteQuery from "./svelte/definitions.scm" with { type: "file" }
import nixQuery from "./nix/definitions.scm" with { type: "file" }
import terraformQuery from "./terraform/definitions.scm" with { type: "file" }
import groovyQuery from "./groovy/definitions.scm" with { type: "file" }
import powershellQuery from "./powershell/definitions.scm" with { type: "file" }
import fishQuery from "./fish/definitions.scm" with { type: "file" }
import perlQuery from "./perl/definitions.scm" with { type: "file" }
import rQuery from "./r/definitions.scm" with { type: "file" }
import juliaQuery from "./julia/definitions.scm" with { type: "file" }
import dartQuery from "./dart/definitions.scm" with { type: "file" }
import ocamlQuery from "./ocaml/definitions.scm" with { type: "file" }
import ocamlInterfaceQuery from "./ocaml/interface.scm" with { type: "file" }
import fsharpQuery from "./fsharp/definitions.scm" with { type: "file" }
import fsharpSignatureQuery from "./fsharp/signature.scm" with { type: "file" }
import erlangQuery from "./erlang/definitions.scm" with { type: "file" }
import gleamQuery from "./gleam/definitions.scm" with { type: "file" }
import clojureQuery from "./clojure/definitions.scm" with { type: "file" }
import emacsLispQuery from "./emacs-lisp/definitions.scm" with { type: "file" }
import solidityQuery from "./solidity/definitions.scm" with { type: "file" }
import elmQuery from "./elm/definitions.scm" with { type: "file" }
import tlaplusQuery from "./tlaplus/definitions.scm" with { type: "file" }
import rescriptQuery from "./rescript/definitions.scm" with { type: "file" }
import agdaQuery from "./agda/definitions.scm" with { type: "file" }
import gdscriptQuery from "./gdscript/definitions.scm" with { type: "file" }
import awkQuery from "./awk/definitions.scm" with { type: "file" }
import verilogQuery from "./verilog/definitions.scm" with { type: "file" }
import devicetreeQuery from "./devicetree/definitions.scm" with { type: "file" }
import jsonQuery from "./json/definitions.scm" with { type: "file" }
import yamlQuery from "./yaml/definitions.scm" with { type: "file" }
import tomlQuery from "./toml/definitions.scm" with { type: "file" }
import bashWasm from "./bash.wasm.zst" with { type: "file" }
import cWasm from "./c.wasm.zst" with { type: "file" }
import objectiveCWasm from "./objective-c.wasm.zst" with { type: "file" }
import cppWasm from "./cpp.wasm.zst" with { type: "file" }
import csharpWasm from "./csharp.wasm.zst" with { type: "file" }
import elixirWasm from "./elixir.wasm.zst" with { type: "file" }
import goWasm from "./go.wasm.zst" with { type: "file" }
import haskellWasm from "./haskell.wasm.zst" with { type: "file" }
import javaWasm from "./java.wasm.zst" with { type: "file" }
import javascriptWasm from "./javascript.wasm.zst" with { type: "file" }
import kotlinWasm from "./kotlin.wasm.zst" with { type: "file" }
import luaWasm from "./lua.wasm.zst" with { type: "file" }
import phpWasm from "./php.wasm.zst" with { type: "file" }
import pythonWasm from "./python.wasm.zst" with { type: "file" }
import rubyWasm from "./ruby.wasm.zst" with { type: "file" }
import rustWasm from "./rust.wasm.zst" with { type: "file" }
import scalaWasm from "./scala.wasm.zst" with { type: "file" }
import swiftWasm from "./swift.wasm.zst" with { type: "file" }
import typescriptWasm from "./typescript.wasm.zst" with { type: "file" }
import tsxWasm from "./tsx.wasm.zst" with { type: "file" }
import zigWasm from "./zig.wasm.zst" with { type: "file" }
import texWasm from "./tex.wasm.zst" with { type: "file" }
import htmlWasm from "./html.wasm.zst" with { type: "file" }
import cssWasm from "./css.wasm.zst" with { type: "file" }
import vueWasm from "./vue.wasm.zst" with { type: "file" }
import svelteWasm from "./svelte.wasm.zst" with { type: "file" }
import nixWasm from "./nix.wasm.zst" with { type: "file" }
import terraformWasm from "./terraform.wasm.zst" with { type: "file" }
import groovyWasm from "./groovy.wasm.zst" with { type: "file" }
import powershellWasm from "./powershell.wasm.zst" with { type: "file" }
import fishWasm from "./fish.wasm.zst" with { type: "file" }
import perlWasm from "./perl.wasm.zst" with { type: "file" }
import rWasm from "./r.wasm.zst" with { type: "file" }
import juliaWasm from "./julia.wasm.zst" with { type: "file" }
import dartWasm from "./dart.wasm.zst" with { type: "file" }
import ocamlWasm from "./ocaml.wasm.zst" with { type: "file" }
import ocamlInterfaceWasm from "./ocaml-interface.wasm.zst" with { type: "file" }
import fsharpWasm from "./fsharp.wasm.zst" with { type: "file" }
import fsharpSignatureWasm from "./fsharp-signature.wasm.zst" with { type: "file" }
import erlangWasm from "./erlang.wasm.zst" with { type: "file" }
import gleamWasm from "./gleam.wasm.zst" with { type: "file" }
import clojureWasm from "./clojure.wasm.zst" with { type: "file" }
import emacsLispWasm from "./emacs-lisp.wasm.zst" with { type: "file" }
import solidityWasm from "./solidity.wasm.zst" with { type: "file" }
import elmWasm from "./elm.wasm.zst" with { type: "file" }
import tlaplusWasm from "./tlaplus.wasm.zst" with { type: "file" }
import rescriptWasm from "./rescript.wasm.zst" with { type: "file" }
import agdaWasm from "./agda.wasm.zst" with { type: "file" }
import gdscriptWasm from "./gdscript.wasm.zst" with { type: "file" }
import awkWasm from "./awk.wasm.zst" with { type: "file" }
import verilogWasm from "./verilog.wasm.zst" with { type: "file" }
import devicetreeWasm from "./devicetree.wasm.zst" with { type: "file" }
import jsonWasm from "./json.wasm.zst" with { type: "file" }
import yamlWasm from "./yaml.wasm.zst" with { type: "file" }
import tomlWasm from "./toml.wasm.zst" with { type: "file" }

/** Path of web-tree-sitter's own module. */
export const runtimePath: string = runtime

/** Paths of each language's packed grammar and query; nothing is read until one is used. */
export const grammarPaths: Readonly<Record<string, { wasm: string; query: string }>> = {
  bash: { wasm: bashWasm, query: bashQuery },
  c: { wasm: cWasm, query: cQuery },
  "objective-c": { wasm: objectiveCWasm, query: objectiveCQuery },
  cpp: { wasm: cppWasm, query: cppQuery },
  csharp: { wasm: csharpWasm, query: csharpQuery },
  elixir: { wasm: elixirWasm, query: elixirQuery },
  go: { wasm: goWasm, query: goQuery },
  haskell: { wasm: haskellWasm, query: haskellQuery },
  java: { wasm: javaWasm, query: javaQuery },
  javascript: { wasm: javascriptWasm, query: javascriptQuery },
  kotlin: { wasm: kotlinWasm, query: kotlinQuery },
  lua: { wasm: luaWasm, query: luaQuery },
  php: { wasm: phpWasm, query: phpQuery },
  python: { wasm: pythonWasm, query: pythonQuery },
  ruby: { wasm: rubyWasm, query: rubyQuery },
  rust: { wasm: rustWasm, query: rustQuery },
  scala: { wasm: scalaWasm, query: scalaQuery },
  swift: { wasm: swiftWasm, query: swiftQuery },
  typescript: { wasm: typescriptWasm, query: typescriptQuery },
  tsx: { wasm: tsxWasm, query: typescriptQuery },
  zig: { wasm: zigWasm, query: zigQuery },
  tex: { wasm: texWasm, query: texQuery },
  html: { wasm: htmlWasm, query: htmlQuery },
  css: { wasm: cssWasm, query: cssQuery },
  vue: { wasm: vueWasm, query: vueQuery },
  svelte: { wasm: svelteWasm, query: svelteQuery },
  nix: { wasm: nixWasm, query: nixQuery },
  terraform: { wasm: terraformWasm, query: terraformQuery },
  groovy: { wasm: groovyWasm, query: groovyQuery },
  powershell: { wasm: powershellWasm, query: powershellQuery },
  fish: { wasm: fishWasm, query: fishQuery },
  perl: { wasm: perlWasm, query: perlQuery },
  r: { wasm: rWasm, query: rQuery },
  julia: { wasm: juliaWasm, query: juliaQuery },
  dart: { wasm: dartWasm, query: dartQuery },
  ocaml: { wasm: ocamlWasm, query: ocamlQuery },
  "ocaml-interface": { wasm: ocamlInterfaceWasm, query: ocamlInterfaceQuery },
  fsharp: { wasm: fsharpWasm, query: fsharpQuery },
  "fsharp-signature": { wasm: fsharpSignatureWasm, query: fsharpSignatureQuery },
  erlang: { wasm: erlangWasm, query: erlangQuery },
  gleam: { wasm: gleamWasm, query: gleamQuery },
  clojure: { wasm: clojureWasm, query: clojureQuery },
  "emacs-lisp": { wasm: emacsLispWasm, query: emacsLispQuery },
  solidity: { wasm: solidityWasm, query: solidityQuery },
  elm: { wasm: elmWasm, query: elmQuery },
  tlaplus: { wasm: tlaplusWasm, query: tlaplusQuery },
  rescript: { wasm: rescriptWasm, query: rescriptQuery },
  agda: { wasm: agdaWasm, query: agdaQuery },
  gdscript: { wasm: gdscriptWasm, query: gdscriptQuery },
  awk: { wasm: awkWasm, query: awkQuery },
  verilog: { wasm: verilogWasm, query: verilogQuery },
  devicetree: { wasm: devicetreeWasm, query: devicetreeQuery },
  json: { wasm: jsonWasm, query: jsonQuery },
  yaml: { wasm: yamlWasm, query: yamlQuery },
  toml: { wasm: tomlWasm, query: tomlQuery },
}
