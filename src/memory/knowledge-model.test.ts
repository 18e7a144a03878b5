import { expect, test } from "bun:test"
import fc from "fast-check"
import { passingKnowledge } from "../../test/knowledge-history.ts"
import { KnowledgeModel } from "../../test/knowledge-model.ts"
import type { Entry } from "./entries/entry.ts"
import type { Knowledge } from "./knowledge.ts"

const which = fc.nat(30)
const texts = fc.constantFrom("Redis caches sessions", "tabs", "the API is slow", "日本語", "x\u0000y")
const projects = fc.constantFrom(null, "p")
const keys = fc.constantFrom(null, null, "k")
const tags = fc.subarray(["one", "two", "three"])
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("remember" as const),
      text: texts,
      topic: fc.constantFrom("Style", "ops"),
      project: projects,
      key: keys,
      tags,
      entities: fc.subarray(["Redis", "API"]),
    }),
  },
  fc.record({ do: fc.constant("revise" as const), which, text: texts, key: keys, project: projects }),
  fc.record({ do: fc.constant("append" as const), which, text: texts }),
  fc.record({ do: fc.constant("tag" as const), which, add: tags, remove: tags }),
  fc.record({ do: fc.constant("invalidate" as const), which, successor: fc.option(which) }),
  fc.record({ do: fc.constant("supersede" as const), which, by: which }),
  fc.record({ do: fc.constant("delete" as const), which }),
  fc.record({ do: fc.constant("restore" as const), which }),
  fc.record({ do: fc.constant("purge" as const), which }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** An end of validity that is still to come: what is replaced before has ended then. */
const LATER = "2030-01-01"

test("a store agrees with a simple model after every step of a random sequence", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      using knowledge = passingKnowledge()
      const model = new KnowledgeModel()
      for (const [i, step] of steps.entries()) {
        take(knowledge, model, step, i)
        expect(told(knowledge)).toEqual(expected(model))
      }
      expect(knowledge.rebuild().differing).toEqual([])
      for (const id of model.ids) {
        expect(knowledge.history(id).at(-1)!.after?.text).toBe(model.entries.get(id)!.text)
      }
    }),
    { numRuns: Number(process.env["AMAN_TEST_HISTORIES"] ?? 60) },
  )
})

/**
 * Runs the step in the model and in the store. A step that the model refuses must be refused by the store as
 * well.
 */
function take(knowledge: Knowledge, model: KnowledgeModel, step: Step, stepNumber: number): void {
  if (step.do === "remember") {
    remember(knowledge, model, step, stepNumber)
    return
  }
  const id = chosen(model, step.which)
  if (id === null) return
  const refusal = refusalOf(model, step, id)
  const act = (): unknown => change(knowledge, model, step, id)
  if (refusal === null) {
    act()
    tell(model, step, id, stepNumber)
  } else expect(act).toThrow(refusal)
}

function chosen({ ids }: KnowledgeModel, which: number): string | null {
  return ids.length === 0 ? null : ids[which % ids.length]!
}

type Remember = Extract<Step, { do: "remember" }>
type Change = Exclude<Step, { do: "remember" }>

function remember(
  knowledge: Knowledge,
  model: KnowledgeModel,
  { do: _, ...asked }: Remember,
  stepNumber: number,
): void {
  const known = model.known(asked)
  const [made] = knowledge.remember([asked])
  const fields = { ...asked, tags: new Set(asked.tags) }
  if (known === null) {
    expect(made!.outcome).toBe("stored")
    expect(model.entries.has(made!.id)).toBe(false)
    model.store(made!.id, stepNumber, fields)
    return
  }
  expect(made!.id).toBe(known)
  const entry = model.entries.get(known)!
  const isRecorded =
    entry.text === asked.text &&
    entry.topic === asked.topic &&
    [...entry.tags].sort().join() === [...asked.tags].sort().join() &&
    entry.entities.join() === asked.entities.join()
  // An entry with the same text is left unchanged; an entry with the same key takes over all given fields.
  const isRevised = asked.key !== null && !isRecorded
  expect(made!.outcome).toBe(isRevised ? "revised" : "existing")
  if (isRevised) model.revise(known, stepNumber, fields)
}

function refusalOf(model: KnowledgeModel, step: Change, id: string): string | null {
  if (step.do === "restore" || step.do === "purge") return null
  const successor = successorIn(model, step)
  const isDeleted = [id, successor].some((one) => one !== null && model.entries.get(one)!.isDeleted)
  if (isDeleted) return "was deleted"
  return successor === id ? "cannot supersede itself" : null
}

function successorIn(model: KnowledgeModel, step: Change): string | null {
  if (step.do === "supersede") return chosen(model, step.by)
  return step.do === "invalidate" && step.successor !== null ? chosen(model, step.successor) : null
}

function change(knowledge: Knowledge, model: KnowledgeModel, step: Change, id: string): unknown {
  switch (step.do) {
    case "revise": {
      const { text, key, project } = step
      return knowledge.revise(id, { text, key, project })
    }
    case "append":
      return knowledge.append(id, step.text)
    case "tag":
      return knowledge.tag([id], step)
    case "supersede":
      return knowledge.supersede(id, successorIn(model, step)!)
    case "invalidate":
      return knowledge.invalidate(id, {
        reason: "why",
        successor: successorIn(model, step),
        validUntil: LATER,
      })
    default:
      return knowledge[step.do]([id])
  }
}

function tell(model: KnowledgeModel, step: Change, id: string, stepNumber: number): void {
  const entry = model.entries.get(id)!
  switch (step.do) {
    case "revise": {
      const { text, key, project } = step
      model.revise(id, stepNumber, { text, key, project })
      break
    }
    case "append":
      model.revise(id, stepNumber, { text: `${entry.text}\n${step.text}` })
      break
    case "tag":
      entry.tags = new Set([...[...entry.tags].filter((tag) => !step.remove.includes(tag)), ...step.add])
      break
    case "delete":
      entry.isDeleted = true
      break
    case "restore":
      model.restore(id)
      break
    case "purge":
      model.entries.delete(id)
      break
    default:
      entry.successor = successorIn(model, step) ?? entry.successor
      if (step.do === "invalidate") Object.assign(entry, { until: LATER, reason: "why" })
      else if (entry.until === LATER) Object.assign(entry, { until: "now", reason: null })
  }
}

function told(knowledge: Knowledge): unknown[] {
  return knowledge
    .changedSince(0)
    .entries.toSorted(byId)
    .map((entry) => ({
      ...pick(entry),
      isDeleted: entry.deletedAt !== null,
      until: entry.validUntil === null || entry.validUntil === LATER ? entry.validUntil : "now",
      reason: entry.invalidReason,
      successor: entry.supersededBy,
    }))
}

function expected(model: KnowledgeModel): unknown[] {
  return [...model.entries.values()].toSorted(byId).map((entry) => ({
    ...pick({ ...entry, tags: [...entry.tags].sort() }),
    isDeleted: entry.isDeleted,
    until: entry.until,
    reason: entry.reason,
    successor: model.successorOf(entry.id),
  }))
}

type Picked = Pick<Entry, "id" | "text" | "topic" | "project" | "key" | "tags" | "entities" | "revision">

function pick({ id, text, topic, project, key, tags, entities, revision }: Picked): Picked {
  return { id, text, topic, project, key, tags, entities, revision }
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1
}
