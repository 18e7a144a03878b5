/**
 * symbols: who uses what?
 *
 * A use is resolved when it is asked for: scope, imports, type of the receiver, member. What cannot be decided is said.
 *
 * Words: a definition and its uses; a use is certain, possible or by name; a moniker names a definition across projects
 * (SCIP). A route ties a request in one program to its handler in another. Centrality is PageRank over names used across
 * files. Places from a compiler's index or a language server outrank ours.
 *
 * Version: SCHEMA_VERSION of imported places (store).
 */

export { FileTexts, graphIn, QUICK_BYTES } from "./answer/answer-lines.ts"
export { centralIn } from "./answer/central-project.ts"
export { type LogAnswer, type LogRequest, type MemoriesAbout, pullRequestsIn } from "./answer/code-log.ts"
export { DRAWN_RELATIONS, type DrawnRelation, graphFor } from "./answer/drawn-symbols.ts"
export { monikersOf, type UsesByName, usesByName, usesOfMonikers } from "./answer/other-repositories.ts"
export type { ExportAnswer, ImportAnswer } from "./answer/scip.ts"
export {
  type DefinitionAnswer,
  declaredElsewhere,
  otherUsesNotes,
  partialNotes,
  RELATIONS,
  type ReferenceAnswer,
  type RelatedAnswer,
  type Relation,
  type SymbolAnswer,
  type SymbolRequest,
  unseenNotes,
} from "./answer/symbol-answer.ts"
export { nextOffset } from "./answer/symbol-project.ts"
export { testsOf } from "./answer/test-commands.ts"
export { calleesOf } from "./calls.ts"
export { byCertainty, type Certainty, certaintyOf } from "./certainty.ts"
export {
  definitionKey,
  type Edge,
  isCallable,
  isType,
  isWithin,
  qualifiedName,
  type SymbolDefinition,
  storedName,
} from "./definition.ts"
export { referencesTo } from "./references.ts"
export { type OtherSide, Services } from "./services.ts"
export { SymbolGraph } from "./symbol-graph.ts"

// Loaded when first needed, so that a command starts fast.
export const loadCodeLog = () => import("./answer/code-log.ts")
export const loadDrawing = () => import("./answer/drawing.ts")
export const loadDrawnSymbols = () => import("./answer/drawn-symbols.ts")
export const loadScip = () => import("./answer/scip.ts")
export const loadScipFormat = () => import("./scip-format.ts")
export const loadSymbolProject = () => import("./answer/symbol-project.ts")
