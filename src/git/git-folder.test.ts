import { expect, test } from "bun:test"
import { isGitFolderName } from "./git-folder.ts"

test.each([
  ".git",
  ".GIT",
  ".Git ",
  ".git...",
  ".git::$INDEX_ALLOCATION",
  "git~1",
  ".g\u200cit",
  ".git\ufeff",
])("%j may be git's own folder", (name) => expect(isGitFolderName(name)).toBe(true))

test.each(["git", ".github", ".gitignore", ".gitattributes", ".git-blame", "x.git", "git~10", ".gi"])(
  "%j is not",
  (name) => expect(isGitFolderName(name)).toBe(false),
)
