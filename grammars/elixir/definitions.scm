(comment) @comment
(unary_operator
  operator: "@"
  operand: (_
    target: (identifier) @_doc
    . (_ [(string) (sigil)] @doc))
  (#any-of? @_doc "moduledoc" "doc" "typedoc" "shortdoc"))
(call
  target: (identifier) @_import
  . (_ . [(alias) (dot)] @import)
  (#any-of? @_import "alias" "import" "use" "require"))

(call
  target: (identifier) @_word
  . (_ . (alias) @name)
  (do_block) @body
  (#eq? @_word "defmodule")) @definition.module
(call
  target: (identifier) @_word
  . (_ . (alias) @name)
  (do_block) @body
  (#eq? @_word "defprotocol")) @definition.interface
; An implementation's functions belong to the type it is for.
(call
  target: (identifier) @_word
  . (_ . (alias) (_ (_ value: (alias) @owner)))
  (do_block)
  (#eq? @_word "defimpl")) @container

(call
  target: (identifier) @_word
  .
  (_
    .
    [
      (identifier) @name
      (_ target: (identifier) @name)
      (_ left: (_ target: (identifier) @name) operator: "when")
      (_ left: (identifier) @name operator: "when")
    ])
  (do_block)? @body
  (#any-of? @_word "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")) @definition.function
(call
  target: (identifier) @_word
  .
  (_
    .
    [
      (identifier) @name
      (_ target: (identifier) @name)
      (_ left: (_ target: (identifier) @name) operator: "when")
    ])
  (do_block)? @body
  (#any-of? @_word "defmacro" "defmacrop")) @definition.macro
(call
  target: (identifier) @_word
  . (_ . (string (quoted_content) @name))
  (do_block) @body
  (#eq? @_word "test")) @definition.function
(call
  target: (identifier) @_word
  (do_block)
  (#any-of? @_word "describe" "quote" "if" "scope" "defimpl")) @container

; `defstruct [:name]`, `defstruct name: 1`, `field :name, :string`.
(call
  target: (identifier) @_word
  .
  (_ [
    (list (atom) @name @definition.field)
    (keywords (_ key: (keyword) @name) @definition.field)
    (list (keywords (_ key: (keyword) @name) @definition.field))
  ])
  (#any-of? @_word "defstruct" "defexception"))
(call
  target: (identifier) @_word
  . (_ . (atom) @name)
  (#any-of? @_word "field" "belongs_to" "has_many" "has_one" "embeds_many" "embeds_one" "attr" "slot")) @definition.field

(unary_operator
  operator: "@"
  operand: (_
    target: (identifier) @_word
    .
    (_
      .
      (_
        left: [(identifier) @name (_ target: (identifier) @name)])))
  (#any-of? @_word "type" "typep" "opaque")) @definition.type
(unary_operator
  operator: "@"
  operand: (_
    target: (identifier) @_word
    .
    (_
      .
      [
        (_ left: (_ target: (identifier) @name))
        (binary_operator left: (_ left: (_ target: (identifier) @name)))
      ]))
  (#any-of? @_word "callback" "macrocallback")) @definition.method
(do_block
  (_
    operator: "@"
    operand: (_ target: (identifier) @name (_))) @definition.constant
  (#not-any-of? @name
    "doc" "moduledoc" "typedoc" "shortdoc" "spec" "type" "typep" "opaque" "callback" "macrocallback" "impl"
    "behaviour" "derive" "enforce_keys" "dialyzer" "compile" "external_resource" "tag" "moduletag" "describetag"
    "before_compile" "after_compile" "on_definition" "deprecated" "since" "optional_callbacks" "requirements"))

; What stands in quotes uses no name.
[(string (quoted_content) @literal) (charlist (quoted_content) @literal)]

; Scopes, and the names bound in them.
(pair key: (keyword) @label)
