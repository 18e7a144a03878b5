import { expect, test } from "bun:test"
import { languageOf } from "./languages.ts"
import { modelineLanguage } from "./modeline.ts"

test("vim's modelines name a language at the beginning or the end", () => {
  expect(modelineLanguage("# vim: ft=python\nx\n")).toBe("python")
  expect(modelineLanguage("x\n".repeat(99).concat("// vim: set ts=4 sw=4 filetype=typescriptreact:\n"))).toBe(
    "tsx",
  )
  expect(modelineLanguage("/* vi:ts=2:syntax=c */\n")).toBe("c")
  expect(modelineLanguage(`${"x\n".repeat(9)}# vim: ft=python\n${"x\n".repeat(9)}`)).toBeNull()
})

test("emacs' modelines and local variables too", () => {
  expect(modelineLanguage("#!/bin/env x\n# -*- mode: Ruby; tab-width: 2 -*-\n")).toBe("ruby")
  expect(modelineLanguage("// -*- C++ -*-\n")).toBe("cpp")
  expect(modelineLanguage("x\n# Local Variables:\n# mode: shell-script\n# End:\n")).toBe("bash")
  expect(modelineLanguage("; -*- coding: utf-8 -*-\n")).toBeNull()
})

test("a modeline decides where neither name nor #! line does", () => {
  const text = "# vim: ft=ruby\n"
  expect(languageOf("bin/tool", text).id).toBe("ruby")
  expect(languageOf("bin/tool", `#!/bin/sh\n${text}`).id).toBe("bash")
  expect(languageOf("tool.py", text).id).toBe("python")
  expect(languageOf("tool.unheard-of", "-*- js -*-").id).toBe("javascript")
  expect(languageOf("tool", "# vim: ft=unheard-of\n").id).toBe("text")
  expect(languageOf("tool", `# vim: ${"set ".repeat(100_000)}ft=ruby\n`).id).toBe("text")
})
