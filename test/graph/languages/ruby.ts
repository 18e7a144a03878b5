import { type Language, spelling } from "../programs.ts"

const PACKAGE = `module §x
  ‹+x.c1› = 3

  class ‹+x.T1›
    attr_accessor :‹+x.T1.p1›

    def initialize(n = 0)
      @‹?x.T1.p1› = n
    end

    def ‹+x.T1.m1›(n)
      ‹x.T1.p1› + n + ‹x.c1›
    end

    def ‹+x.T1.m2›
      self
    end

    def self.‹+x.T1.m4›(n)
      n
    end
  end

  class ‹+x.T2› < ‹x.T1›
    def ‹+x.T2.m1›(n)
      super(n)
    end
  end

  class ‹+x.T3›
    def ‹+x.T3.m1›(n)
      n * 2
    end
  end

  module ‹+x.T4›
    def self.‹+x.T4.f1›(n)
      n
    end
  end
end
`

export const ruby: Language = {
  name: "ruby",
  spell: spelling({ T: "pascal", I: "pascal", c: "upper", default: "snake" }),
  module: ({ package: name, root }) =>
    name === "lib" ? "Lib" : `${root.toUpperCase()}::${name.toUpperCase()}`,
  package: ({ package: name, root }) => ({
    [`${name}/core.rb`]: name === "lib" ? PACKAGE : `module ${root.toUpperCase()}; end\n\n${PACKAGE}`,
  }),
  forms: [
    {
      name: "qualified",
      head: (_, { package: p }) => (p === "lib" ? 'require "lib"\n' : `require_relative "../${p}/core"\n`),
      prefix: ({ as }) => `§${as}::`,
    },
    {
      name: "constant alias",
      head: (tops, { as, package: p }) =>
        `${p === "lib" ? 'require "lib"' : `require_relative "../${p}/core"`}\n${tops.map((slot) => `R${slot[0] === "c" ? "_" : ""}‹-${slot}› = §${as}::‹${as}.${slot}›\n`).join("")}`,
      alias: (slot) => `R${slot[0] === "c" ? "_" : ""}${slot}`,
    },
    { name: "same module", head: () => "", isBare: true, isInside: true },
  ],
  user: ({ number, form, place, head, body }) => {
    const folder = ["u", "a", "b"][(number + body.length) % 3]!
    return form.isInside
      ? [
          `${place.package}/user${number}.rb`,
          `require_relative "core"\n${head}\nmodule §${place.as}\nmodule V${number}\n${body}\nend\nend\n`,
        ]
      : [
          `${folder}/user${number}.rb`,
          `${head}\nmodule User${place.root.toUpperCase()}V${number}\n${body}\nend\n`,
        ]
  },
  pieces: [
    { name: "call of a module function", code: `  def self.g§n\n    ‹x.T4›.‹x.T4.f1›(1)\n  end` },
    {
      name: "both packages",
      code: `  def self.g§n\n    ‹x.T4›.‹x.T4.f1›(1)\n    ‹y.T4›.‹y.T4.f1›(2)\n  end`,
    },
    {
      name: "both static methods",
      code: `  def self.g§n\n    ‹x.T1›.‹x.T1.m4›(1)\n    ‹y.T1›.‹y.T1.m4›(2)\n  end`,
    },
    { name: "constant", code: `  def self.g§n\n    ‹x.c1› + 1\n  end` },
    {
      name: "construction",
      code: `  def self.g§n\n    ‹-v2› = ‹x.T1›.new(1)\n    ‹-v2›.‹x.T1.m1›(1)\n    ‹-v2›.‹x.T1.p1›\n  end`,
    },
    {
      name: "both types",
      code: `  def self.g§n\n    ‹-v2› = ‹x.T1›.new(1)\n    ‹-v3› = ‹y.T1›.new(1)\n    ‹-v2›.‹x.T1.m1›(1)\n    ‹-v3›.‹y.T1.m1›(1)\n  end`,
    },
    { name: "new chain", code: `  def self.g§n\n    ‹x.T1›.new(1).‹x.T1.m1›(1)\n  end` },
    {
      name: "override",
      code: `  def self.g§n\n    ‹-v2› = ‹x.T2›.new\n    ‹-v2›.‹x.T2.m1›(1)\n    ‹-v2›.‹x.T1.m2›\n  end`,
    },
    {
      name: "subclass here",
      code: `  class S§n < ‹x.T1›\n    def over\n      ⟦self.¦⟧‹x.T1.m1›(1)\n    end\n  end`,
    },
    {
      name: "override here",
      code: `  class S§n < ‹x.T1›\n    def ‹-m1›(n)\n      super\n    end\n\n    def over\n      ⟦self.¦⟧‹-m1›(1)\n    end\n  end`,
    },
    {
      name: "instance variable",
      code: `  class H§n\n    def initialize\n      @inner = ‹x.T1›.new(1)\n    end\n\n    def over\n      @inner.‹x.T1.m1›(1)\n    end\n  end`,
    },
    {
      name: "parameter named like a method",
      code: `  class S§n < ‹x.T1›\n    def over(‹-m2›)\n      ‹-m2›\n    end\n  end`,
    },
    {
      name: "local named like a method",
      code: `  class S§n < ‹x.T1›\n    def over\n      ‹-m2› = 1\n      ‹-m2›\n    end\n  end`,
    },
    {
      name: "block parameter named like a method",
      code: `  class S§n < ‹x.T1›\n    def over(all)\n      all.map { |‹-m2›| ‹-m2› }\n    end\n  end`,
    },
    {
      name: "caller of the same name",
      code: `  class C§n\n    def ‹-f1›(n)\n      ‹x.T4›.‹x.T4.f1›(n)\n    end\n  end`,
    },
    {
      name: "equal member of an own type",
      code: `  class E§n\n    def ‹-m1›(n)\n      n\n    end\n\n    def over\n      ‹-m1›(1)\n    end\n  end`,
    },
    { name: "untyped value", code: `  def self.g§n(given)\n    given.‹-m1›(1)\n  end` },
    {
      name: "variable named like the type",
      code: `  def self.g§n(‹-T1:the_T1›)\n    ‹-T1:the_T1›.‹-m1›(1)\n  end`,
    },
    { name: "symbol key", code: `  def self.g§n\n    { ‹-f1›: 1, ‹-m1›: 2 }\n  end` },
    {
      name: "class of the same name here",
      code: `  module N§n\n    class ‹-T1›\n      def self.‹-m4›(n)\n        n\n      end\n    end\n\n    def self.over\n      ‹-T1›.‹-m4›(1)\n    end\n  end`,
    },
    { name: "class as value", code: `  def self.g§n\n    [‹x.T1›]\n  end` },
  ],
}
