import { type Language, spelling } from "../programs.ts"

// Names are global in C, so that the functions of the two packages are static or begin with the name of the package.
const HEADER = `#ifndef §x_H
#define §x_H

struct ‹+x.T1:§x_T1› {
    int ‹+x.T1.p1›;
    struct ‹x.T1:§x_T1› *‹+x.T1.p2›;
};

int ‹+x.f1:§x_f1›(int n);
struct ‹x.T1:§x_T1› *‹+x.f2:§x_f2›(void);

#endif
`

const SOURCE = `#include "core.h"

static int ‹+x.f4›(int n) {
    return n * 2;
}

static struct ‹x.T1:§x_T1› ‹+x.c1›;

int ‹+x.f1:§x_f1›(int n) {
    return ‹x.f4›(n) + ‹x.c1›.‹x.T1.p1›;
}

struct ‹x.T1:§x_T1› *‹+x.f2:§x_f2›(void) {
    return &‹x.c1›;
}
`

export const c: Language = {
  name: "c",
  spell: spelling({ T: "snake", c: "snake", default: "snake" }),
  module: ({ package: name, root }) => (name === "lib" ? "lib" : `${root}_${name}`),
  package: ({ package: name }) =>
    name === "lib" ? { "lib/core.h": HEADER } : { [`${name}/core.h`]: HEADER, [`${name}/core.c`]: SOURCE },
  forms: [
    {
      name: "include",
      head: (_, { package: p }) => (p === "lib" ? "#include <lib/core.h>\n" : `#include "../${p}/core.h"\n`),
      alias: (slot, as) => `§${as}_${slot}`,
    },
  ],
  user: ({ number, head, body }) => [
    `${["u", "a", "b"][(number + body.length) % 3]}/user${number}.c`,
    `${head}\n${body}`,
  ],
  pieces: [
    { name: "call", code: `int g§n(void) {\n    return ‹x.f1›(1);\n}` },
    { name: "both packages", code: `int g§n(void) {\n    int n = ‹x.f1›(1);\n    return n + ‹y.f1›(2);\n}` },
    {
      name: "pointer parameter",
      code: `int g§n(⟦int n, ¦⟧struct ‹x.T1› *‹-v2›) {\n    return ‹-v2›->‹x.T1.p1›;\n}`,
    },
    {
      name: "both types",
      code: `int g§n(struct ‹x.T1› *‹-v2›,\n    struct ‹y.T1› *‹-v3›) {\n    int n = ‹-v2›->‹x.T1.p1›;\n    return n + ‹-v3›->‹y.T1.p1›;\n}`,
    },
    {
      name: "local",
      code: `int g§n(void) {\n    struct ‹x.T1› ‹-v2›;\n    ‹-v2›.‹x.T1.p1› = 1;\n    return 0;\n}`,
    },
    { name: "chain", code: `int g§n(struct ‹x.T1› *‹-v2›) {\n    return ‹-v2›->‹x.T1.p2›->‹x.T1.p1›;\n}` },
    { name: "result", code: `int g§n(void) {\n    return ‹x.f2›()->‹x.T1.p1›;\n}` },
    { name: "initializer", code: `struct ‹x.T1› k§n = {\n    .‹x.T1.p1› = 1,\n};` },
    {
      name: "static function of the same name",
      code: `static int ‹-f4›(int n) {\n    return n;\n}\n\nint g§n(void) {\n    return ‹-f4›(1);\n}`,
    },
    {
      name: "field of the same name",
      code: `struct e§n {\n    int ‹-p1›;\n};\n\nint g§n(struct e§n *e) {\n    return e->‹-p1›;\n}`,
    },
    {
      name: "function pointer field",
      code: `struct o§n {\n    int (*‹-f4›)(int);\n};\n\nint g§n(struct o§n *o) {\n    return o->‹-f4›(1);\n}`,
    },
    { name: "local named like a static function", code: `int g§n(int ‹-f4›) {\n    return ‹-f4› + 1;\n}` },
    { name: "function as value", code: `int (*k§n)(int) = ‹x.f1›;` },
    {
      name: "typedef",
      code: `typedef struct ‹x.T1› t§n;\n\nint g§n(t§n *‹-v2›) {\n    return ‹-v2›->‹x.T1.p1›;\n}`,
    },
    { name: "enumeration and label", code: `int g§n(int n) {\n    goto ‹-f4›;\n‹-f4›:\n    return n;\n}` },
  ],
}
