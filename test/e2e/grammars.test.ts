import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Workspace } from "./harness.ts"

const FILES = {
  "web/UserCard.vue":
    '<script setup lang="ts">\nconst props = defineProps<{ name: string }>()\n\n// Greets by the time of day.\nfunction greetingFor(hour: number): string {\n  return hour < 12 ? "Good morning" : "Hello"\n}\n</script>\n\n<template>\n  <article class="user-card">{{ greetingFor(9) }} {{ props.name }}</article>\n</template>\n',
  "web/Broken.svelte": `<script>\n${"%% ?? ** $$ )) ((\n".repeat(30)}</script>\n<p>the unreadable widget</p>\n`,
  "web/styles/buttons.scss": "@mixin focus-ring($color) {\n  outline: 2px solid $color;\n}\n",
  "infra/main.tf":
    'resource "aws_s3_bucket" "access_logs" {\n  bucket = "logs"\n}\n\nresource "aws_sqs_queue" "jobs" {\n  name = "jobs"\n}\n',
  ".github/workflows/ci.yml": "name: ci\njobs:\n  type-check:\n    runs-on: ubuntu-latest\n",
  "app/lib/cart.dart": "class Cart {\n  int total() {\n    return 0;\n  }\n}\n",
  "ios/ImageCache.m": "@implementation ImageCache\n\n- (void)evictOldest {\n}\n\n@end\n",
  "contracts/Vault.sol": "contract Vault {\n  function withdrawAll() external {\n  }\n}\n",
  "lib/parser.mli": "val parse_header : string -> int\n",
}

describe("languages beyond the common ones", () => {
  let project: Workspace
  beforeAll(() => {
    project = new Workspace(FILES)
  })
  afterAll(() => project[Symbol.dispose]())

  for (const [query, path, symbol, kind] of [
    ["UserCard", "web/UserCard.vue", "UserCard", "component"],
    ["greetingFor", "web/UserCard.vue", "greetingFor", "function"],
    ["focus-ring mixin", "web/styles/buttons.scss", "focus-ring", "macro"],
    ["aws_s3_bucket.access_logs", "infra/main.tf", "aws_s3_bucket.access_logs", "resource"],
    ["type-check job", ".github/workflows/ci.yml", "jobs.type-check", "key"],
    ["Cart.total", "app/lib/cart.dart", "Cart.total", "method"],
    ["evictOldest", "ios/ImageCache.m", "ImageCache.evictOldest", "method"],
    ["withdrawAll", "contracts/Vault.sol", "Vault.withdrawAll", "method"],
    ["parse_header", "lib/parser.mli", "parse_header", "function"],
  ] as const) {
    test(`${query} is found as a ${kind}`, async () => {
      const { results } = await project.json(["search", "--limit", "1", "--", query])
      expect(results[0]).toMatchObject({ path, symbol, kind })
    })
  }

  test("kinds filter by flag and in the query", async () => {
    const { results } = await project.json(["search", "--kind", "component", "--", "card unreadable"])
    expect(results.map(({ path }: { path: string }) => path)).toEqual([
      "web/UserCard.vue",
      "web/Broken.svelte",
    ])
    const inQuery = await project.json(["search", "--", "kind:resource bucket"])
    expect(inQuery.results[0]).toMatchObject({ path: "infra/main.tf", kind: "resource" })
  })

  test("a script that cannot be parsed affects only itself, and index reports it", async () => {
    const { results } = await project.json(["search", "--limit", "1", "--", "unreadable widget"])
    expect(results[0].path).toBe("web/Broken.svelte")
    const { stdout, stderr } = await project.run(["index"])
    expect(stdout + stderr).toContain(
      "1 file was split partly by lines: the javascript inside is not recognised",
    )
  })
})
