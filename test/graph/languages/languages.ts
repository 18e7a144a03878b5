import type { Language } from "../programs.ts"
import { c } from "./c.ts"
import { cpp } from "./cpp.ts"
import { csharp } from "./csharp.ts"
import { dart } from "./dart.ts"
import { elixir } from "./elixir.ts"
import { erlang } from "./erlang.ts"
import { go } from "./go.ts"
import { java } from "./java.ts"
import { kotlin } from "./kotlin.ts"
import { lua } from "./lua.ts"
import { php } from "./php.ts"
import { python } from "./python.ts"
import { ruby } from "./ruby.ts"
import { rust } from "./rust.ts"
import { scala } from "./scala.ts"
import { swift } from "./swift.ts"
import { typescript } from "./typescript.ts"

export const LANGUAGES: readonly Language[] = [
  ...[typescript, python, go, java, rust, csharp, cpp, php, ruby, kotlin, swift],
  ...[c, scala, elixir, erlang, dart, lua],
]
