import { type Language, spelling } from "../programs.ts"

const PACKAGE = `local M = {}

M.‹+x.c1› = 3

function M.‹+x.f1›(n)
  return n + M.‹x.c1›
end

local ‹+x.T1› = {}
‹x.T1›.__index = ‹x.T1›

function ‹x.T1›.‹+x.T1.m4›(n)
  return setmetatable({ ‹-p1› = n }, ‹x.T1›)
end

function ‹x.T1›:‹+x.T1.m1›(n)
  return n + 1
end

function ‹x.T1›:‹+x.T1.m2›()
  return self:‹x.T1.m1›(2)
end

M.‹?x.T1:T1› = ‹x.T1›

local function ‹+x.f3›(n)
  return n
end

function M.‹+x.f2›(n)
  return ‹x.f3›(n)
end

return M
`

export const lua: Language = {
  name: "lua",
  spell: spelling({ T: "pascal", c: "upper", default: "snake" }),
  module: ({ package: name, root }) => (name === "lib" ? "lib.core" : `${root}.${name}.core`),
  package: ({ package: name }) => ({ [`${name}/core.lua`]: PACKAGE }),
  forms: [
    {
      name: "require",
      head: (_, { as }) => `local q${as} = require("§${as}")\n`,
      prefix: ({ as }) => `q${as}.`,
    },
    {
      name: "require of a name",
      head: (tops, { as }) =>
        tops.map((slot) => `local ‹?${as}.${slot}:${slot}› = require("§${as}").‹${as}.${slot}›\n`).join(""),
      isBare: true,
    },
  ],
  user: ({ number, head, body }) => [
    `${["u", "a", "b"][(number + body.length) % 3]}/user${number}.lua`,
    `${head}\n${body}`,
  ],
  pieces: [
    { name: "call", code: `local function g§n()\n  return ‹x.f1›(1)\nend` },
    {
      name: "both packages",
      code: `local function g§n()\n  local n = ‹x.f1›(1)\n  return n + ‹y.f1›(2)\nend`,
    },
    { name: "constant", code: `local k§n = ‹x.c1› + 1` },
    { name: "static method", code: `local function g§n()\n  return ‹x.T1›.‹x.T1.m4›(1)\nend` },
    {
      name: "construction",
      code: `local function g§n()\n  local ‹-v2› = ‹x.T1›.‹x.T1.m4›(1)\n  return ‹-v2›:‹x.T1.m1›(1)\nend`,
    },
    { name: "parameter of the same name", code: `local function g§n(‹-f1›)\n  return ‹-f1›(1)\nend` },
    {
      name: "local function of the same name",
      code: `local function h§n()\n  local function ‹-f3›(n)\n    return n\n  end\n  return ‹-f3›(1)\nend`,
    },
    {
      name: "loop variable",
      code: `local function g§n(all)\n  for _, ‹-f3› in ipairs(all) do\n    ‹-f3›(1)\n  end\nend`,
    },
    { name: "untyped value", code: `local function g§n(given)\n  return given:‹-m1›(1)\nend` },
    { name: "key of a table", code: `local k§n = { ‹-f1› = 1, ‹-m1› = 2 }` },
    {
      name: "own table",
      code: `local E§n = {}\n\nfunction E§n:‹-m1›(n)\n  return n\nend\n\nfunction E§n:over()\n  return self:‹-m1›(1)\nend`,
    },
  ],
}
