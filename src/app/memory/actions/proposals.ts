import { AmanError } from "../../../base/errors.ts"
import { headline } from "../../../memory/views/order.ts"
import type { Memory } from "../memory.ts"
import { openProposals, type Proposal, recordDecision } from "../proposals.ts"
import { rememberAll } from "../remember.ts"
import type { KnowledgeAnswer } from "./answer.ts"

type ProposalIds = { readonly ids: readonly string[] }

/** Lists the sentences that hooks propose to remember (setting `hooks.propose`); accepts or rejects them. */
export const handlers = {
  proposals: listProposals,
  accept: acceptProposals,
  reject: rejectProposals,
}

function listProposals(memory: Memory): KnowledgeAnswer {
  const proposals = openProposals(memory.root)
  const lines = proposals.map(
    ({ id, text, role, at }) =>
      `${id}  ${at.slice(0, 10)}  ${role === "person" ? "you" : "agent"}: ${headline(text)}`,
  )
  const next = "a person can remember or drop one: aman memory accept ID, aman memory reject ID"
  return {
    data: {
      proposals: proposals.map(({ id, text, role, at }) => ({ id, text, role, proposed_at: at })),
      total: proposals.length,
    },
    text:
      proposals.length === 0
        ? "no proposals; hooks make them only while hooks.propose is true (aman config get hooks.propose)"
        : [...lines, next].join("\n"),
    found: proposals.length > 0,
  }
}

async function acceptProposals(memory: Memory, { ids }: ProposalIds): Promise<KnowledgeAnswer> {
  const chosen = chosenFrom(memory, ids)
  const { entries, notices } = await rememberAll(
    memory,
    chosen.map(({ text, role, at }) => ({
      text,
      role,
      topic: "decisions",
      kind: "decision",
      recordedAt: at,
    })),
  )
  for (const { id } of chosen) recordDecision(id, "accepted")
  return {
    data: { accepted: chosen.map(({ id }, i) => ({ proposal: id, id: entries[i]!.id })), notices },
    text: entries.map(({ id }, i) => `${id}  ${headline(chosen[i]!.text)}`).join("\n"),
    found: true,
  }
}

function rejectProposals(memory: Memory, { ids }: ProposalIds): KnowledgeAnswer {
  const chosen = chosenFrom(memory, ids)
  for (const { id } of chosen) recordDecision(id, "rejected")
  return {
    data: { rejected: chosen.map(({ id }) => id) },
    text: `rejected ${chosen.length}; they are not proposed again`,
    found: true,
  }
}

/** The proposals with these ids; throws NOT_FOUND, before anything is decided, for an unknown one. */
function chosenFrom(memory: Memory, ids: readonly string[]): Proposal[] {
  const byId = new Map(openProposals(memory.root).map((proposal) => [proposal.id, proposal]))
  return [...new Set(ids)].map((id) => {
    const proposal = byId.get(id)
    if (proposal !== undefined) return proposal
    throw new AmanError("NOT_FOUND", `no proposal ${JSON.stringify(id)} in this folder`, {
      hint: "list them: aman memory proposals",
    })
  })
}
