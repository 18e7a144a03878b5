import { type Language, spelling } from "../programs.ts"

const PACKAGE: Readonly<Record<string, string>> = {
  core: `const ‹+x.c1› = 3;

interface ‹+x.I1›
{
    public function ‹+x.I1.m1›(int $n): int;
}

class ‹+x.T1›
{
    const ‹+x.T1.c2› = 4;
    public int $‹+x.T1.p1› = 1;

    public function __construct(int $n = 0)
    {
        $this->‹x.T1.p1› = $n;
    }

    public function ‹+x.T1.m1›(int $n): int
    {
        return $this->‹x.T1.p1› + $n + self::‹x.T1.c2›;
    }

    public function ‹+x.T1.m2›(): ‹x.T1›
    {
        return $this;
    }

    public static function ‹+x.T1.m4›(int $n): int
    {
        return $n;
    }
}

class ‹+x.T2› extends ‹x.T1›
{
    public function ‹+x.T2.m1›(int $n): int
    {
        return parent::‹x.T1.m1›($n);
    }
}

class ‹+x.T3› implements ‹x.I1›
{
    public int $‹+x.T3.p1› = 1;

    public function ‹+x.T3.m1›(int $n): int
    {
        return $this->‹x.T3.p1› * $n;
    }
}

function ‹+x.f1›(int $n): int
{
    return $n + ‹x.c1›;
}

function ‹+x.f2›(): ‹x.T1›
{
    return new ‹x.T1›(1);
}
`,
}

const kindOf = (slot: string) => (slot.startsWith("f") ? "function " : slot.startsWith("c") ? "const " : "")

export const php: Language = {
  name: "php",
  spell: spelling({ T: "pascal", I: "pascal", c: "upper" }),
  module: ({ package: name, root }) =>
    name === "lib" ? "Lib" : `${root.toUpperCase()}\\${name.toUpperCase()}`,
  package: ({ package: name }) => ({ [`${name}/core.php`]: `<?php\n\nnamespace §x;\n\n${PACKAGE["core"]}` }),
  forms: [
    {
      name: "use",
      head: (tops, { as }) => tops.map((slot) => `use ${kindOf(slot)}§${as}\\‹${as}.${slot}›;\n`).join(""),
      isBare: true,
    },
    {
      name: "renamed",
      head: (tops, { as }) =>
        tops
          .map((slot) => `use ${kindOf(slot)}§${as}\\‹${as}.${slot}› as ‹${as}.${slot}:R${slot}›;\n`)
          .join(""),
      alias: (slot) => `R${slot}`,
    },
    {
      name: "namespace alias",
      head: (_, { as }) => `use §${as} as Q${as};\n`,
      prefix: ({ as }) => `Q${as}\\`,
    },
    { name: "fully qualified", head: () => "", prefix: ({ as }) => `\\§${as}\\` },
    {
      name: "group use",
      head: (tops, { as }) =>
        `use §${as}\\{${tops.map((slot) => `${kindOf(slot)}‹${as}.${slot}›`).join(", ")}};\n`,
      isBare: true,
    },
    { name: "same namespace", head: () => "", isBare: true, isInside: true },
  ],
  user: ({ number, form, place, head, body }) =>
    form.isInside
      ? [`${place.package}/user${number}.php`, `<?php\n\nnamespace §${place.as};\n\n${head}\n${body}`]
      : [
          `⟦u¦a¦b⟧/user${number}.php`.replace(/⟦.*⟧/, ["u", "a", "b"][(number + head.length) % 3]!),
          `<?php\n\nnamespace P§root\\U;\n\n${head}\n${body}`,
        ],
  pieces: [
    { name: "call", code: `function g§n() {\n    return ‹x.f1›(1);\n}` },
    { name: "both packages", code: `function g§n() {\n    $n = ‹x.f1›(1);\n    return $n + ‹y.f1›(2);\n}` },
    { name: "constant", code: `function g§n() {\n    return ‹x.c1› + 1;\n}` },
    { name: "class constant", code: `function g§n() {\n    return ‹x.T1›::‹x.T1.c2›;\n}` },
    { name: "static method", code: `function g§n() {\n    return ‹x.T1›::‹x.T1.m4›(1);\n}` },
    {
      name: "both static methods",
      code: `function g§n() {\n    $n = ‹x.T1›::‹x.T1.m4›(1);\n    return $n + ‹y.T1›::‹y.T1.m4›(2);\n}`,
    },
    {
      name: "parameter",
      code: `function g§n(⟦int $n, ¦⟧⟦¦?⟧‹x.T1› $‹-v2›) {\n    $‹-v2›->‹x.T1.m1›(1);\n    return $‹-v2›->‹x.T1.p1›;\n}`,
    },
    {
      name: "union parameter",
      code: `function g§n(‹x.T1›|null $‹-v2›) {\n    return $‹-v2›?->‹x.T1.m1›(1);\n}`,
    },
    {
      name: "both types",
      code: `function g§n(‹x.T1› $‹-v2›,\n    ‹y.T1› $‹-v3›) {\n    $‹-v2›->‹x.T1.m1›(1);\n    return $‹-v3›->‹y.T1.m1›(1);\n}`,
    },
    {
      name: "construction",
      code: `function g§n() {\n    $‹-v2› = new ‹x.T1›(1);\n    return $‹-v2›->‹x.T1.m1›(1);\n}`,
    },
    { name: "result", code: `function g§n() {\n    $‹-v2› = ‹x.f2›();\n    return $‹-v2›->‹x.T1.m1›(1);\n}` },
    { name: "chain", code: `function g§n() {\n    return ‹x.f2›()->‹x.T1.m2›()->‹x.T1.m1›(1);\n}` },
    { name: "interface", code: `function g§n(‹x.I1› $‹-v2›) {\n    return $‹-v2›->‹x.I1.m1›(1);\n}` },
    {
      name: "override",
      code: `function g§n(‹x.T2› $‹-v2›) {\n    $‹-v2›->‹x.T2.m1›(1);\n    return $‹-v2›->‹x.T1.m2›();\n}`,
    },
    {
      name: "subclass here",
      code: `class S§n extends ‹x.T1› {\n    function over() {\n        $this->‹x.T1.m1›(1);\n        return $this->‹x.T1.p1›;\n    }\n}`,
    },
    {
      name: "override here",
      code: `class S§n extends ‹x.T1› {\n    function ‹-m1›(int $n): int {\n        return parent::‹x.T1.m1›($n);\n    }\n    function over() {\n        return $this->‹-m1›(1);\n    }\n}`,
    },
    {
      name: "constructor property",
      code: `class H§n {\n    public function __construct(private ‹x.T1› $inner) {}\n    function over() {\n        return $this->inner->‹x.T1.m1›(1);\n    }\n}`,
    },
    {
      name: "typed property",
      code: `class H§n {\n    private ‹x.T1› $inner;\n    function over() {\n        return $this->inner->‹x.T1.m1›(1);\n    }\n}`,
    },
    {
      name: "documented property",
      code: `class H§n {\n    /** @var ‹x.T1› */\n    private $inner;\n    function over() {\n        return $this->inner->‹x.T1.m1›(1);\n    }\n}`,
    },
    {
      name: "documented parameter",
      code: `/** @param ‹x.T1› $‹-v2› */\nfunction g§n($‹-v2›) {\n    return $‹-v2›->‹x.T1.m1›(1);\n}`,
    },
    {
      name: "property and method of one name",
      code: `class H§n {\n    private ‹x.T1› $‹-v2›;\n    function ‹-v2›() {\n        return $this->‹-v2›->‹x.T1.m1›(1);\n    }\n}`,
    },
    { name: "variable named like a function", code: `function g§n($‹-f1›) {\n    return $‹-f1›(1);\n}` },
    {
      name: "method named like a function",
      code: `class C§n {\n    function ‹-f1›(int $n) {\n        return ‹x.f1›($n);\n    }\n    function over() {\n        return $this->‹-f1›(1);\n    }\n}`,
    },
    {
      name: "equal member of an own type",
      code: `class E§n {\n    function ‹-m1›(int $n) {\n        return $n;\n    }\n}\nfunction g§n(E§n $e) {\n    return $e->‹-m1›(1);\n}`,
    },
    { name: "untyped value", code: `function g§n($given) {\n    return $given->‹-m1›(1);\n}` },
    {
      name: "variable named like the type",
      code: `function g§n($‹-T1:theT1›) {\n    return $‹-T1:theT1›->‹-m1›(1);\n}`,
    },
    { name: "key of an array", code: `function g§n() {\n    return ["‹-f1›" => 1, '‹-m1›' => 2];\n}` },
    {
      name: "instanceof",
      code: `function g§n($given) {\n    if ($given instanceof ‹x.T1›) {\n        return $given->‹x.T1.m1›(1);\n    }\n}`,
    },
    { name: "closure", code: `function g§n(‹x.T1› $‹-v2›) {\n    return fn() => $‹-v2›->‹x.T1.m1›(1);\n}` },
    {
      name: "catch",
      code: `function g§n() {\n    try {\n        return 1;\n    } catch (\\Exception $‹-f1›) {\n        return $‹-f1›->getMessage();\n    }\n}`,
    },
    { name: "class name", code: `function g§n() {\n    return ‹x.T1›::class;\n}` },
    {
      name: "trait",
      code: `trait R§n {\n    function ‹-m1›(int $n) {\n        return $n;\n    }\n}\nclass U§n {\n    use R§n;\n    function over() {\n        return $this->‹-m1›(1);\n    }\n}`,
    },
  ],
}
