import { expect, test } from "bun:test"
import { termOf } from "../text/abbreviations.ts"
import { projectTerms } from "./project-terms.ts"

test("a project is called by its root and the two folders above", () => {
  const terms = projectTerms("/home/me/clones/express/router")
  expect(terms).toEqual(new Set(["clones", "express", "router"].map(termOf)))
})

test("folders of the layout say nothing of the name", () => {
  expect(projectTerms("/home/me/projects/work/app")).toEqual(new Set())
})

test("a name of several words counts whole and in parts, and paths of Windows are paths", () => {
  const terms = projectTerms("C:\\src\\repos\\telescope.nvim")
  for (const word of ["telescope", "nvim", "telescopenvim"]) expect(terms).toContain(termOf(word))
})

test("no root, no terms", () => expect(projectTerms("/")).toEqual(new Set()))
