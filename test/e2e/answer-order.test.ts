import { expect, test } from "bun:test"
import { join } from "node:path"
import { answersOf, rankingsOf } from "../index-equality.ts"
import { moduleOf } from "../modules.ts"
import { randomFrom } from "../random.ts"
import { Workspace } from "./harness.ts"

test("orders equal results by content, in whatever order the files were indexed", async () => {
  using space = new Workspace()
  const random = randomFrom(20_261_123)
  for (let index = 0; index < 60; index++) space.write(...moduleOf(index, 0))
  await space.json(["index"])
  for (let round = 1; round < 3; round++) {
    for (let edits = 0; edits < 25; edits++) space.write(...moduleOf(Math.floor(random() * 60), round))
    await space.json(["index"])
  }
  const env = { AMAN_INDEX_DIR: join(space.dir, "fresh") }
  await space.json(["index"], { env })
  expect(await answersOf(space)).toEqual(await answersOf(space, env))
  const questions = ["advance", "common step of a stage", "class Stage3"]
  expect(await rankingsOf(space, {}, questions)).toEqual(await rankingsOf(space, env, questions))
}, 60_000)

test("scores after an edit are those of a new index, for words and names that hundreds of files have", async () => {
  using space = new Workspace()
  const write = (index: number, round: number) => {
    const [path, text] = moduleOf(index, round)
    const common = `def wallet_${index % 7}():\n    """The wallet of the payment module."""\n    return payment(wallet())\n`
    space.write(path, `${text}\n\n${common}`)
  }
  for (let index = 0; index < 320; index++) write(index, 0)
  await space.json(["index"])
  for (const index of [0, 3, 99, 180, 290]) write(index, 1)
  await space.json(["index"])
  const env = { AMAN_INDEX_DIR: join(space.dir, "fresh") }
  await space.json(["index"], { env })
  const questions = ["advance", "common step of a stage", "wallet payment", "payment module wallet advance"]
  expect(await rankingsOf(space, {}, questions)).toEqual(await rankingsOf(space, env, questions))
}, 60_000)
