import { type Language, spelling } from "../programs.ts"

const PACKAGE = `defmodule §x.‹+x.T1:T1› do
  defstruct ‹-p1›: 1

  def ‹+x.T1.f1/1›(n) do
    ‹x.T1.f1/2›(n, 2)
  end

  def ‹+x.T1.f1/2›(n, k) do
    n + k + ‹x.T1.f3›(n)
  end

  def ‹+x.T1.f2›() do
    %§x.‹x.T1:T1›{}
  end

  defp ‹+x.T1.f3›(n) do
    n
  end
end
`

export const elixir: Language = {
  name: "elixir",
  spell: spelling({ T: "pascal", default: "snake" }),
  module: ({ package: name, root }) =>
    name === "lib" ? "Lib" : `${root.toUpperCase()}.${name.toUpperCase()}`,
  package: ({ package: name }) => ({ [`${name}/core.ex`]: PACKAGE }),
  forms: [
    { name: "qualified", head: () => "", prefix: ({ as }) => `§${as}.` },
    { name: "alias", head: (_, { as }) => `  alias §${as}.‹${as}.T1:T1›\n`, isBare: true },
    {
      name: "alias as",
      head: (_, { as }) => `  alias §${as}.‹${as}.T1:T1›, as: ‹?${as}.T1:RT1›\n`,
      alias: (slot) => `R${slot}`,
    },
    {
      name: "alias of the parent",
      head: (_, { as }) => `  alias §${as}, as: Q${as}\n`,
      prefix: ({ as }) => `Q${as}.`,
    },
    { name: "grouped alias", head: (_, { as }) => `  alias §${as}.{‹${as}.T1:T1›}\n`, isBare: true },
  ],
  user: ({ number, head, body, place }) => [
    `${["u", "a", "b"][(number + body.length) % 3]}/user${number}.ex`,
    `defmodule ${place.root.toUpperCase()}.User${number} do\n${head}\n${body}\nend\n`,
  ],
  pieces: [
    { name: "call", code: `  def g§n do\n    ‹x.T1›.‹x.T1.f2›()\n  end` },
    {
      name: "overloads",
      code: `  def g§n do\n    ‹x.T1›.‹x.T1.f1/1›(1)\n    ‹x.T1›.‹x.T1.f1/2›(1, 2)\n  end`,
    },
    {
      name: "pipe",
      code: `  def g§n do\n    1 |> ‹x.T1›.‹x.T1.f1/1›()\n    1 |> ‹x.T1›.‹x.T1.f1/2›(2)\n  end`,
    },
    { name: "capture", code: `  def g§n do\n    &‹x.T1›.‹x.T1.f1/2›/2\n  end` },
    { name: "both packages", code: `  def g§n do\n    ‹x.T1›.‹x.T1.f2›()\n    ‹y.T1›.‹y.T1.f2›()\n  end` },
    { name: "struct", code: `  def g§n do\n    %‹x.T1›{}\n  end` },
    {
      name: "function of the same name here",
      code: `  def h§n do\n    ‹-f3›(1)\n  end\n\n  def ‹-f3›(n) do\n    n\n  end`,
    },
    { name: "local of the same name", code: `  def g§n(‹-f2›) do\n    ‹-f2›\n  end` },
    { name: "key of a map", code: `  def g§n do\n    %{‹-f1›: 1, ‹-f2›: 2}\n  end` },
    {
      name: "module of the same name here",
      code: `  defmodule N§n.‹-T1› do\n    def ‹-f2›() do\n      1\n    end\n  end`,
    },
  ],
}
