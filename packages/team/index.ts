/** team: worker, query node and catalogue of an index that many people search (docs/team.md). */

export { grant } from "./catalogue/access.ts"
export { Catalogue } from "./catalogue/catalogue.ts"
export { addRepository } from "./catalogue/repositories.ts"

// Loaded when first needed, so that a command starts fast.
export const loadTeamCommand = () => import("./team-command.ts")
