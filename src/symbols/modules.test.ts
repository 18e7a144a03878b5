import { expect, test } from "bun:test"
import { moduleFits, modulePath, parseImport } from "./modules.ts"

const fits = (module: string, from: string, path: string) =>
  moduleFits(parseImport(module, from), modulePath(path))

test.each([
  ["./store", "src/app.ts", "src/store.ts"],
  ["./store.js", "src/app.ts", "src/store.ts"],
  ["../store", "src/app/run.ts", "src/store/index.ts"],
  [".store", "py/child.py", "py/store.py"],
  ["..base.store", "py/deep/child.py", "py/base/store.py"],
  ["shop.store", "tests/t.py", "src/shop/store.py"],
  ["org.shop.Store", "a/Main.java", "src/main/java/org/shop/Store.java"],
  ["crate::net::store", "src/main.rs", "src/net/store.rs"],
  ["shop/store.h", "src/main.c", "include/shop/store.h"],
])("%s in %s is %s", (module, from, path) => {
  expect(fits(module, from, path)).toBe(1)
})

test.each([
  ["crate::net::store::open", "src/main.rs", "src/net/store.rs"],
  ["example.org/shop/internal/store", "cmd/main.go", "internal/store/open.go"],
  ["./store", "src/app.ts", "src/store/open.ts"],
  ["shop", "tests/t.py", "src/shop/store.py"],
])("%s in %s may be %s", (module, from, path) => {
  expect(fits(module, from, path)).toBeGreaterThanOrEqual(0.5)
})

test.each([
  ["./store", "src/app.ts", "lib/store.ts"],
  ["../store", "src/app.ts", "src/store.ts"],
  ["node:fs", "src/app.ts", "src/store.ts"],
  ["react", "src/app.ts", "src/store.ts"],
])("%s in %s is not %s", (module, from, path) => {
  expect(fits(module, from, path)).toBe(0)
})
