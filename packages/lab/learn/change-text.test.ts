import { expect, test } from "bun:test"
import { changeText } from "./change-text.ts"

const AUTHOR = "Ada <ada@example.org>"
const textOf = (message: string, author = AUTHOR) => changeText(message, author)

test("takes the title of a squashed commit without type and number, and its text without sign-offs", () => {
  const message =
    "fix(cart): keep the total when a coupon expires (#412)\n\nThe total was computed twice.\n\nFixes #400\nCo-authored-by: Bob <bob@example.org>\n"
  expect(textOf(message)).toEqual({
    source: "squash",
    title: "keep the total when a coupon expires",
    body: "The total was computed twice.",
  })
})

test("takes the title and the text below the merge line of a merged pull request", () => {
  expect(
    textOf("Merge pull request #7 from ada/total\n\nRound totals to whole cents\n\nSee the docs."),
  ).toEqual({
    source: "pull",
    title: "Round totals to whole cents",
    body: "See the docs.",
  })
})

test("returns nothing for a merge without its own text", () => {
  expect(textOf("Merge branch 'main' into release")).toBeNull()
})

test("joins a title that continues on the next line", () => {
  expect(
    textOf("Pass the paste buffer through vis when pasting to prevent buffers\nfrom ending the bracket."),
  ).toEqual({
    source: "commit",
    title: "Pass the paste buffer through vis when pasting to prevent buffers from ending the bracket.",
    body: "",
  })
})

test("completes a title that GitHub cut off from the body", () => {
  expect(
    textOf("Redirect users of the transparent mode to the local redir… (#9)\n\n…ector\n\nMore.")?.title,
  ).toBe("Redirect users of the transparent mode to the local redirector")
})

test("keeps bullets of a squashed branch that describe the change", () => {
  const message =
    "Show the bind address at startup (#8)\n\n* Show the bind address at startup\n\n* fix lint\n\n* print IPv6 addresses in brackets\n\n---------\n"
  expect(textOf(message)?.body).toBe("* print IPv6 addresses in brackets")
})

test.each([
  "Bump lodash from 4.17.20 to 4.17.21",
  'Revert "Show the bind address at startup"',
  "chore(deps): update dependency vite to v6",
  "docs: describe the retry options in detail",
  "Update translations of the settings page",
  "Fix typo in the comment of the parser",
  "Release 3.2.1 of the command line tool",
  "Add more tests",
  "Apply clippy suggestions to all crates",
  "Fix crash",
])("leaves out maintenance and titles that say too little: %s", (message) => {
  expect(textOf(message)).toBeNull()
})

test("leaves out a robot's commit", () => {
  expect(textOf("Show the bind address at startup", "renovate[bot] <bot@example.org>")).toBeNull()
})
