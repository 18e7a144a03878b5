import { type Captures, MAX_IMPORTS } from "./captures.ts"
import { apart } from "./spans.ts"

/** What several queries found in one file, as if it were one. */
export function joinCaptures(all: readonly Captures[]): Captures {
  return {
    definitions: all.flatMap(({ definitions }) => definitions),
    comments: apart(all.flatMap(({ comments }) => [...comments])),
    docs: apart(all.flatMap(({ docs }) => [...docs])),
    literals: all.flatMap(({ literals }) => [...literals]),
    imports: [...new Set(all.flatMap(({ imports }) => imports))].slice(0, MAX_IMPORTS),
    importSpans: all.flatMap(({ importSpans }) => [...importSpans]),
    names: all.flatMap(({ names }) => [...names]),
    package: all.find((captures) => captures.package !== null)?.package ?? null,
    embedded: [],
    expressions: all.flatMap(({ expressions }) => [...expressions]),
    tags: all.flatMap(({ tags }) => [...tags]),
    bindings: all.flatMap(({ bindings }) => [...bindings]),
  }
}
