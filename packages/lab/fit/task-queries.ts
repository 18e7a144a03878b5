import { existsSync } from "node:fs"
import { join } from "node:path"
import type { LabelledQuery, LabelledRepository } from "../bench/labels.ts"
import { readTasks, type Task } from "../learn/task.ts"

/**
 * Mined tasks as labelled queries: each by title and body, by the title alone, and by both without the names
 * that give the answer away. Takes `count` tasks of each repository that has a tree, spread over its history.
 */
export function taskQueries(file: string, count: number, trees: string): LabelledRepository[] {
  const byRepository = Map.groupBy(readTasks(file), ({ repo }) => repo)
  return Array.from(byRepository, ([repo, tasks]) => {
    const name = repo.replace("/", "+")
    const queries = spread(tasks, count).flatMap(queriesOf)
    return { name, language: tasks[0]!.language, root: join(trees, name), queries }
  }).filter(({ root }) => existsSync(root))
}

function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items]
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]!)
}

function queriesOf({ title, body, hidden, leaks, files }: Task): LabelledQuery[] {
  const targets = files.map(({ path }) => ({ path }))
  const texts = new Set([textOf(title, body), title, ...(leaks ? [textOf(hidden.title, hidden.body)] : [])])
  return Array.from(texts, (query) => ({ query, names: [], category: "task", targets }))
}

function textOf(title: string, body: string): string {
  return body === "" ? title : `${title}\n\n${body}`
}
