import { describe, expect, test } from "bun:test"
import { cpuTime } from "../../../test/cpu-time.ts"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "../file/parse.ts"
import { USE } from "./use-code.ts"

async function usesIn(path: string, text: string): Promise<string[]> {
  const { uses } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  return uses!().map(({ line, name, flags }) => `${line} ${name}${(flags & USE.call) === 0 ? "" : "()"}`)
}

describe("a template of Vue", () => {
  test("uses the names in its expressions, but none in prose, quotes or bindings", async () => {
    const text = `<template>
  <p :class="{ on: isOn }" @click="save" title="saved">{{ total(items) }} prose 'n save</p>
  <li v-for="(item, at) in items" :key="keyOf(item)">{{ 'quoted' + \`text \${inner} more\` }}</li>
  <Slotted><template #row="{ cell }">{{ cell.text }}</template></Slotted>
  <p v-if="a1 && b1 /* remark */" v-bind:[dynamic]="c1" />
</template>
`
    expect(await usesIn("a.vue", text)).toEqual([
      "2 on",
      "2 isOn",
      "2 save",
      "2 total()",
      "2 items",
      "3 items",
      "3 keyOf()",
      "3 inner",
      "4 text",
      "4 Slotted()",
      "5 a1",
      "5 b1",
      "5 dynamic",
      "5 c1",
    ])
  })

  test("names components and directives as its script does", async () => {
    const text = `<template>
  <my-card v-click-outside="shut" :user-name />
  <UserCard /><div v-if="x1" v-model:open="y1" />
  <Tab v-slot:title /><button v-on:click v-bind:first-name
    :last-name id="z":glued></button>
</template>
`
    expect(await usesIn("a.vue", text)).toEqual([
      "2 shut",
      "2 MyCard()",
      "2 my-card()",
      "2 vClickOutside",
      "2 userName",
      "3 x1",
      "3 y1",
      "3 UserCard()",
      "4 Tab()",
      "4 firstName",
      "5 lastName",
      "5 glued",
    ])
  })
})

test("records names in Svelte's expressions, blocks and directives", async () => {
  const text = `<script>
  let n1 = $state(0)
</script>
{#if shown(one)}<Card on:click={save} {label} {...rest} title="say {word}" use:tip={how} class:active />{:else if two}x{/if}
{#each rows as row (row.id)}{@html row.text}{:else}none{/each}
{@render part('quoted')}{$cart}<ui.Button bind:value />
`
  expect(await usesIn("a.svelte", text)).toEqual([
    "2 $state()",
    "4 shown()",
    "4 one",
    "4 save",
    "4 label",
    "4 rest",
    "4 word",
    "4 how",
    "4 two",
    "4 Card()",
    "4 tip()",
    "4 active",
    "5 rows",
    "5 text",
    "6 part()",
    "6 cart",
    "6 ui",
    "6 Button",
    "6 value",
  ])
})

describe("names that a template binds", () => {
  test("are no uses of Vue's script within their element", async () => {
    const text = `<template>
  <li v-for="user in users" :key="user.id" :user>{{ user.name }} {{ { user: user.user } }}</li>
  <p v-for="(one, { two, three: four = five }) of six" @click="run(one, two, three, four, five)" />
  <A #footer="{ total, ...rest }">{{ total }}<B v-slot:top="it">{{ it(total, rest) }}</B>{{ it }}</A>
  <template v-for="Tab in tabs"><Tab /></template>
  <p>{{ user }} {{ total }}</p><Tab />
</template>
`
    expect(await usesIn("a.vue", text)).toEqual([
      "2 users",
      "2 id",
      "2 name",
      "2 user",
      "2 user",
      "3 six",
      "3 run()",
      "3 three",
      "3 five",
      "4 it",
      "4 A()",
      "4 B()",
      "5 tabs",
      "6 user",
      "6 total",
      "6 Tab()",
    ])
  })

  test("are no uses of Svelte's script within their block", async () => {
    const text = `{#each items as item, at (item.id)}{item.name}{at}{@const Icon = item.icon}<Icon {item} />{/each}
{#each all as { one, two: other = three }}{one}{two}{other}{three}{/each}
{#await load() then found}{found}{:catch error}{error}{/await}
{#await wait}x{:then found}{found}{/await}{found}{error}
{#snippet row(cell: Cell<Of>, last = first)}{cell}{last}{Of}{/snippet}
<Card let:item={mine} let:size>{mine}{size}{item}</Card>{size}<Icon />
`
    expect(await usesIn("a.svelte", text)).toEqual([
      "1 items",
      "1 name",
      "1 icon",
      "2 all",
      "2 two",
      "2 three",
      "3 load()",
      "4 wait",
      "4 found",
      "4 error",
      "5 Of",
      "6 item",
      "6 size",
      "6 Card()",
      "6 Icon()",
    ])
  })
})

test("reads hostile expressions in linear time", async () => {
  for (const piece of ["/*", "'\\", "`${", "\\'", "a in ", "{a:", "(a=", "a,"]) {
    const text = `<template>{{ '${piece.repeat(30_000)} }}<p v-for="${piece.replace("'", "").repeat(30_000)}"><A #b="${piece.replace("'", "").repeat(30_000)}"/></p></template>\n`
    const started = cpuTime()
    const { uses } = await parseFile("a.vue", text, DEFAULT_PARSE_OPTIONS)
    uses?.()
    expect({ piece, isSlow: cpuTime() - started > 3000 }).toEqual({ piece, isSlow: false })
  }
})
