import { expect, test } from "bun:test"
import { platformVariants } from "./variants.ts"

test("files of one module for several platforms are a group, in the order given", () => {
  const paths = [
    "ui/button.ios.tsx",
    "ui/list.tsx",
    "ui/button.tsx",
    "ui/button.native.tsx",
    "ui/list.test.tsx",
  ]
  const groups = platformVariants(paths)
  expect(groups.get("ui/button.tsx")).toEqual(["ui/button.ios.tsx", "ui/button.tsx", "ui/button.native.tsx"])
  expect([...groups.keys()].sort()).toEqual(["ui/button.ios.tsx", "ui/button.native.tsx", "ui/button.tsx"])
})

test("other languages, folders and extensions are apart", () => {
  const paths = ["a/x.web.ts", "b/x.ios.ts", "a/x.web.go", "a/x.go", "a/y.ios.ts", "a/y.js"]
  expect(platformVariants(paths).size).toBe(0)
})
