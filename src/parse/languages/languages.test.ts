import { describe, expect, test } from "bun:test"
import manifest from "../../../grammars/manifest.json" with { type: "json" }
import { contentKindOf, languageNamed, languageOf, loadGrammar, modelineLanguage } from "./languages.ts"

const idOf = (path: string, text = "") => languageOf(path, text).id

describe("the language of a file", () => {
  test("is determined by the file name first and then by the extension, ignoring the extension's case", () => {
    expect(idOf("src/Main.JAVA")).toBe("java")
    expect(idOf("a/b.c/Makefile")).toBe("makefile")
    expect(idOf("Rakefile")).toBe("ruby")
    expect(idOf("CMakeLists.txt")).toBe("cmake")
    expect(idOf(".eslintrc.js")).toBe("javascript")
    expect(idOf("docker/Dockerfile.dev")).toBe("dockerfile")
    expect(idOf("Makefiles")).toBe("text")
  })

  test("is determined by the #! line when the name does not determine it", () => {
    expect(idOf("bin/run", "#!/usr/bin/env -S PYTHONPATH=. python3.12 -u\n")).toBe("python")
    expect(idOf("bin/run", "#!/bin/sh\n")).toBe("bash")
    expect(idOf("bin/run", "#!/usr/local/bin/node")).toBe("javascript")
    expect(idOf("bin/run", "#!/usr/bin/env Rscript\n")).toBe("r")
    expect(idOf("bin/run", "#!/usr/bin/perl -w\n")).toBe("perl")
    expect(idOf("build", "#!/usr/bin/make -f\n")).toBe("makefile")
    expect(idOf("bin/run", "#!/opt/unheard-of\n")).toBe("text")
    expect(idOf("notes.py", "#!/bin/sh\n")).toBe("python")
  })

  test("is plain text when nothing determines it", () => {
    expect(idOf("LICENSE")).toBe("text")
    expect(idOf("data.unheard-of")).toBe("text")
    expect(idOf("")).toBe("text")
    expect(idOf(".")).toBe("text")
  })
})

describe("a header file is", () => {
  const header = (text: string) => idOf("include/x.h", text)

  test("C++ when it contains code that only C++ allows", () => {
    expect(header("#pragma once\n\nnamespace a {\n}\n")).toBe("cpp")
    expect(header("template <typename T>\nstruct Box;\n")).toBe("cpp")
    expect(header("class Shape;\n")).toBe("cpp")
    expect(header("#include <vector>\n")).toBe("cpp")
    expect(header("static const std::size_t limit = 3;\n")).toBe("cpp")
  })

  test("C otherwise, even with comments about C++ and guards for it", () => {
    expect(header('#include <stdio.h>\n#ifdef __cplusplus\nextern "C" {\n#endif\nint a(void);\n')).toBe("c")
    expect(
      header("/* The class of std::vector\n * namespace::member\n */\nstruct a { int class_id; };\n"),
    ).toBe("c")
    expect(header("// see Shape::area\nint area(int shape);\n")).toBe("c")
  })
})

test("Objective-C shares .h with C and .m with MATLAB", () => {
  expect(idOf("a.h", "#import <UIKit/UIKit.h>\n\n@interface Cart : NSObject\n@end\n")).toBe("objective-c")
  expect(idOf("a.h", "typedef NS_ENUM(NSInteger, Phase) { PhaseOne };\n")).toBe("objective-c")
  expect(idOf("a.h", "/* @interface of C */\nint a(void);\n")).toBe("c")
  expect(idOf("a.m", "@implementation Cart\n@end\n")).toBe("objective-c")
  expect(idOf("a.m", "% Adds up.\nfunction total = sum_up(lines)\nend\n")).toBe("matlab")
})

test("content is code, docs or data", () => {
  const kindOf = (path: string) => contentKindOf(languageOf(path, ""))
  expect(["a.go", "a.css", "Dockerfile", "a.sql"].map(kindOf)).toEqual(["code", "code", "code", "code"])
  expect(["a.md", "a.txt", "LICENSE"].map(kindOf)).toEqual(["docs", "docs", "docs"])
  expect(["a.json", "a.yml", "a.csv"].map(kindOf)).toEqual(["data", "data", "data"])
  // A file without an extension is a document, one with an unknown extension is data.
  expect(["HACKING", "a.rdoc", "a.unheard-of", ".unheard-of"].map(kindOf)).toEqual([
    "docs",
    "docs",
    "data",
    "data",
  ])
  expect(contentKindOf(languageOf("bin/run", "#!/opt/unheard-of\n"))).toBe("data")
})

test("loads a grammar once, and null for a language without one", async () => {
  const [one, two] = await Promise.all([
    loadGrammar(languageOf("a.go", "")),
    loadGrammar(languageOf("b.go", "")),
  ])
  expect(one?.query.patternCount()).toBeGreaterThan(0)
  expect(two).toBe(one)
  expect(await loadGrammar(languageOf("a.csv", ""))).toBeNull()
})

test("finds a language by id, extension or alias", () => {
  for (const [name, id] of [
    ["Objective-C", "objective-c"],
    ["objc", "objective-c"],
    ["golang", "go"],
    ["hcl", "terraform"],
    [".yml", "yaml"],
  ] as const) {
    expect(languageNamed(name)?.id).toBe(id)
  }
  expect(languageNamed("unheard-of")).toBeNull()
})

test("no extension, file name or interpreter belongs to two languages", () => {
  for (const key of ["aliases", "extensions", "files", "interpreters"] as const) {
    const all = manifest.languages.flatMap((entry) => entry[key] ?? [])
    expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([])
  }
})

test("reads vim modelines at the beginning and the end", () => {
  expect(modelineLanguage("# vim: ft=python\nx\n")).toBe("python")
  expect(modelineLanguage("x\n".repeat(99).concat("// vim: set ts=4 sw=4 filetype=typescriptreact:\n"))).toBe(
    "tsx",
  )
  expect(modelineLanguage("/* vi:ts=2:syntax=c */\n")).toBe("c")
  expect(modelineLanguage(`${"x\n".repeat(9)}# vim: ft=python\n${"x\n".repeat(9)}`)).toBeNull()
})

test("reads emacs modelines and local variables", () => {
  expect(modelineLanguage("#!/bin/env x\n# -*- mode: Ruby; tab-width: 2 -*-\n")).toBe("ruby")
  expect(modelineLanguage("// -*- C++ -*-\n")).toBe("cpp")
  expect(modelineLanguage("x\n# Local Variables:\n# mode: shell-script\n# End:\n")).toBe("bash")
  expect(modelineLanguage("; -*- coding: utf-8 -*-\n")).toBeNull()
})

test("a modeline decides only if neither name nor #! line does", () => {
  const text = "# vim: ft=ruby\n"
  expect(languageOf("bin/tool", text).id).toBe("ruby")
  expect(languageOf("bin/tool", `#!/bin/sh\n${text}`).id).toBe("bash")
  expect(languageOf("tool.py", text).id).toBe("python")
  expect(languageOf("tool.unheard-of", "-*- js -*-").id).toBe("javascript")
  expect(languageOf("tool", "# vim: ft=unheard-of\n").id).toBe("text")
  expect(languageOf("tool", `# vim: ${"set ".repeat(100_000)}ft=ruby\n`).id).toBe("text")
})
