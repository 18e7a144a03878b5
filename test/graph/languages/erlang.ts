import { type Language, spelling } from "../programs.ts"

const PACKAGE = `-module(§x).
-export([‹?x.f1/1~x.f1/2:f1›/1, ‹?x.f1/1~x.f1/2:f1›/2, ‹?x.f2:f2›/0]).
-record(‹+x.T1›, {‹+x.T1.p1› = 1}).

‹+x.f1/1›(X) ->
    ‹x.f1/2›(X, 1).

‹+x.f1/2›(X, Y) ->
    X + Y.

‹+x.f2›() ->
    #‹x.T1›{‹x.T1.p1› = 2}.

‹+x.f3›(X) ->
    X * 2.

‹+x.f4›(X) ->
    ‹x.f3›(X).
`

export const erlang: Language = {
  name: "erlang",
  spell: spelling({ T: "snake", default: "snake" }),
  module: ({ package: name, root }) => (name === "lib" ? "outer" : `${root}_${name}`),
  package: ({ package: name, root }) =>
    name === "lib" ? { "lib/outer.erl": PACKAGE } : { [`${name}/${root}_${name}.erl`]: PACKAGE },
  forms: [
    { name: "qualified", head: () => "", prefix: ({ as }) => `§${as}:` },
    {
      name: "import",
      head: (tops, { as }) =>
        `-import(§${as}, [${tops.flatMap((slot) => (slot === "f1" ? ["‹?x.f1/1~x.f1/2:f1›/1", "‹?x.f1/1~x.f1/2:f1›/2"] : [`‹?${as}.${slot}:${slot}›/0`])).join(", ")}]).\n`,
      isBare: true,
    },
  ],
  user: ({ number, head, body, place }) => [
    `${["u", "a", "b"][(number + body.length) % 3]}/${place.root}_user${number}.erl`,
    `-module(${place.root}_user${number}).\n-compile(export_all).\n${head}\n${body}`,
  ],
  pieces: [
    { name: "overloads", code: `g§n() ->\n    N = ‹x.f1/1›(1),\n    N + ‹x.f1/2›(1, 2).` },
    { name: "call", code: `g§n() ->\n    ‹x.f2›().` },
    { name: "both packages", code: `g§n() ->\n    ‹x.f2›(),\n    ‹y.f2›().` },
    { name: "function of the same name here", code: `h§n() ->\n    ‹-f3›(1).\n\n‹-f3›(X) ->\n    X.` },
    { name: "atom", code: `g§n() ->\n    {‹-f1›, ‹-f3›}.` },
    {
      name: "record of the same name here",
      code: `-record(‹-T1›, {‹-p1›}).\nh§n() ->\n    #‹-T1›{‹-p1› = 2}.`,
    },
  ],
}
