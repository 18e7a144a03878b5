import { type Language, spelling } from "../programs.ts"

const HEADER = `#pragma once

namespace §x {

const int ‹+x.c1› = 3;

struct ‹+x.I1› {
    virtual int ‹+x.I1.m1›(int n) = 0;
};

class ‹+x.T1› {
public:
    int ‹+x.T1.p1› = 1;
    virtual int ‹+x.T1.m1›(int n);
    ‹x.T1›* ‹+x.T1.m2›();
    int ‹+x.T1.m3/1›(int n) {
        return ‹x.T1.m3/2›(n, 2);
    }
    int ‹+x.T1.m3/2›(int n, int k) {
        return n + k;
    }
    static int ‹+x.T1.m4›(int n);
};

class ‹+x.T2› : public ‹x.T1› {
public:
    int ‹+x.T2.m1›(int n) override;
};

class ‹+x.T3› : public ‹x.I1› {
public:
    int ‹+x.T3.p1› = 1;
    int ‹+x.T3.m1›(int n) override {
        return this->‹x.T3.p1› * n;
    }
};

int ‹+x.f1›(int n);
‹x.T1› ‹+x.f2›();

}
`

const SOURCE = `#include "core.hpp"

namespace §x {

int ‹x.T1›::‹+x.T1.m1›(int n) {
    return ‹x.T1.p1› + n;
}

‹x.T1›* ‹x.T1›::‹+x.T1.m2›() {
    return this;
}

int ‹x.T1›::‹+x.T1.m4›(int n) {
    return n;
}

int ‹x.T2›::‹+x.T2.m1›(int n) {
    return ‹x.T1›::‹x.T1.m1›(n);
}

int ‹+x.f1›(int n) {
    return n + ‹x.c1›;
}

‹x.T1› ‹+x.f2›() {
    return ‹x.T1›();
}

}
`

export const cpp: Language = {
  name: "cpp",
  spell: spelling({ T: "pascal", I: "pascal", c: "upper", default: "snake" }),
  module: ({ package: name, root }) => (name === "lib" ? "lib" : `${root}::${name}`),
  package: ({ package: name }) =>
    name === "lib"
      ? { "lib/core.hpp": HEADER }
      : { [`${name}/core.hpp`]: HEADER, [`${name}/core.cpp`]: SOURCE },
  forms: [
    { name: "qualified", head: (_, { package: p }) => include(p), prefix: ({ as }) => `§${as}::` },
    {
      name: "using namespace",
      head: (_, { as, package: p }) => `${include(p)}using namespace §${as};\n`,
      isBare: true,
    },
    {
      name: "using",
      head: (tops, { as, package: p }) =>
        `${include(p)}${tops.map((slot) => `using §${as}::‹${as}.${slot}›;\n`).join("")}`,
      isBare: true,
    },
    {
      name: "namespace alias",
      head: (_, { as, package: p }) => `${include(p)}namespace q${as} = §${as};\n`,
      prefix: ({ as }) => `q${as}::`,
    },
    { name: "same namespace", head: (_, { package: p }) => include(p), isBare: true, isInside: true },
  ],
  user: ({ number, form, place, head, body }) =>
    form.isInside
      ? [
          `${place.package}/user${number}.cpp`,
          `${head === "" ? include(place.package) : head}\nnamespace §${place.as} {\n${body}\n}\n`,
        ]
      : [`${["u", "a", "b"][(number + body.length) % 3]}/user${number}.cpp`, `${head}\n${body}`],
  pieces: [
    { name: "call", code: `int g§n() {\n    return ‹x.f1›(1);\n}` },
    { name: "both packages", code: `int g§n() {\n    int n = ‹x.f1›(1);\n    return n + ‹y.f1›(2);\n}` },
    { name: "constant", code: `int k§n = ‹x.c1› + 1;` },
    { name: "static method", code: `int g§n() {\n    return ‹x.T1›::‹x.T1.m4›(1);\n}` },
    {
      name: "reference parameter",
      code: `int g§n(⟦int n, ¦⟧⟦const ¦⟧‹x.T1›& ‹-v2›) {\n    return ‹-v2›.‹x.T1.p1›;\n}`,
    },
    {
      name: "pointer parameter",
      code: `int g§n(‹x.T1›* ‹-v2›⟦, int n¦⟧) {\n    int k = ‹-v2›->‹x.T1.m1›(1);\n    return k + ‹-v2›->‹x.T1.p1›;\n}`,
    },
    {
      name: "both types",
      code: `int g§n(‹x.T1›& ‹-v2›,\n    ‹y.T1›& ‹-v3›) {\n    int n = ‹-v2›.‹x.T1.m1›(1);\n    return n + ‹-v3›.‹y.T1.m1›(1);\n}`,
    },
    { name: "local", code: `int g§n() {\n    ‹x.T1› ‹-v2›;\n    return ‹-v2›.‹x.T1.m1›(1);\n}` },
    {
      name: "new",
      code: `int g§n() {\n    ⟦auto¦‹x.T1›⟧* ‹-v2› = new ‹x.T1›();\n    return ‹-v2›->‹x.T1.m1›(1);\n}`,
    },
    { name: "result", code: `int g§n() {\n    auto ‹-v2› = ‹x.f2›();\n    return ‹-v2›.‹x.T1.m1›(1);\n}` },
    { name: "chain", code: `int g§n() {\n    return ‹x.f2›().‹x.T1.m2›()->‹x.T1.m1›(1);\n}` },
    { name: "interface", code: `int g§n(‹x.I1›* ‹-v2›) {\n    return ‹-v2›->‹x.I1.m1›(1);\n}` },
    {
      name: "override",
      code: `int g§n(‹x.T2›& ‹-v2›) {\n    ‹-v2›.‹x.T1.m2›();\n    return ‹-v2›.‹x.T2.m1›(1);\n}`,
    },
    {
      name: "overloads",
      code: `int g§n(‹x.T1›& ‹-v2›) {\n    int n = ‹-v2›.‹x.T1.m3/1›(1);\n    return n + ‹-v2›.‹x.T1.m3/2›(1, 2);\n}`,
    },
    {
      name: "subclass here",
      code: `class S§n : public ‹x.T1› {\npublic:\n    int over() {\n        return ⟦this->¦⟧‹x.T1.m1›(1);\n    }\n};`,
    },
    {
      name: "override here",
      code: `class S§n : public ‹x.T1› {\npublic:\n    int ‹-m1›(int n) override {\n        return n;\n    }\n    int over() {\n        return ⟦this->¦⟧‹-m1›(1);\n    }\n};`,
    },
    {
      name: "field",
      code: `struct H§n {\n    ‹x.T1›* inner;\n    ‹x.T3› other;\n    int over() {\n        int n = inner->‹x.T1.m1›(1);\n        return n + this->other.‹x.T3.m1›(1);\n    }\n};`,
    },
    { name: "parameter shadows function", code: `int g§n(int (*‹-f1›)(int)) {\n    return ‹-f1›(1);\n}` },
    {
      name: "local shadows function",
      code: `int g§n() {\n    auto ‹-f1› = [](int n) { return n; };\n    return ‹-f1›(1);\n}`,
    },
    {
      name: "loop variable shadows function",
      code: `int g§n(int (*all[2])(int)) {\n    int n = 0;\n    for (int i = 0; i < 2; i++) {\n        auto ‹-f1› = all[i];\n        n += ‹-f1›(1);\n    }\n    return n;\n}`,
    },
    {
      name: "caller of the same name",
      code: `struct C§n {\n    int ‹-m4›(int n) {\n        return ‹x.T1›::‹x.T1.m4›(n);\n    }\n};`,
    },
    {
      name: "equal member of an own type",
      code: `struct E§n {\n    int ‹-m1›(int n) {\n        return n;\n    }\n};\nint g§n(E§n& e) {\n    return e.‹-m1›(1);\n}`,
    },
    {
      name: "loop",
      code: `int g§n(‹x.T1› (&all)[3]) {\n    int n = 0;\n    for (⟦auto¦‹x.T1›⟧& ‹-v2› : all) {\n        n += ‹-v2›.‹x.T1.m1›(1);\n    }\n    return n;\n}`,
    },
    {
      name: "cast",
      code: `int g§n(void* given) {\n    return ⟦static_cast<‹x.T1›*>(given)¦((‹x.T1›*)given)⟧->‹x.T1.m1›(1);\n}`,
    },
    {
      name: "template parameter of the same name",
      code: `template <typename ‹-T1›>\n‹-T1› g§n(‹-T1› given) {\n    return given;\n}`,
    },
    {
      name: "untyped value of a template",
      code: `template <typename V>\nint g§n(V& given) {\n    return given.‹-m1›(1);\n}`,
    },
    { name: "function as value", code: `int (*k§n)(int) = ‹x.f1›;` },
    {
      name: "type alias",
      code: `using A§n = ‹x.T1›;\nint g§n(A§n& ‹-v2›) {\n    return ‹-v2›.‹x.T1.m1›(1);\n}`,
    },
    { name: "array element", code: `int g§n(‹x.T1›* all[]) {\n    return all[0]->‹x.T1.m1›(1);\n}` },
  ],
}

function include(name: string): string {
  return name === "lib" ? "#include <lib/core.hpp>\n" : `#include "../${name}/core.hpp"\n`
}
