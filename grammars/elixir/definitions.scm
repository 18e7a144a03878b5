(comment) @comment
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_doc
    (arguments [(string) (sigil)] @doc))
  (#any-of? @_doc "moduledoc" "doc" "typedoc" "shortdoc"))
(call
  target: (identifier) @_import
  (arguments . (alias) @import)
  (#any-of? @_import "alias" "import" "use" "require"))

(call
  target: (identifier) @_word
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_word "defmodule")) @definition.module
(call
  target: (identifier) @_word
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_word "defprotocol")) @definition.interface
(call
  target: (identifier) @_word
  (arguments . (alias) @name (keywords (pair value: (alias) @owner)))
  (do_block) @body
  (#eq? @_word "defimpl")) @definition.module
(call
  target: (identifier) @_word
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_word "defimpl")) @definition.module

(call
  target: (identifier) @_word
  (arguments
    .
    [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")
    ])
  (do_block)? @body
  (#any-of? @_word "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")) @definition.function
(call
  target: (identifier) @_word
  (arguments
    .
    [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
    ])
  (do_block)? @body
  (#any-of? @_word "defmacro" "defmacrop")) @definition.macro
(call
  target: (identifier) @_word
  (arguments . (string (quoted_content) @name))
  (do_block) @body
  (#eq? @_word "test")) @definition.function
(call
  target: (identifier) @_word
  (do_block)
  (#any-of? @_word "describe" "quote" "if" "scope")) @container

; `defstruct [:name]`, `defstruct name: 1`, `field :name, :string`.
(call
  target: (identifier) @_word
  (arguments [
    (list (atom) @name @definition.field)
    (keywords (pair key: (keyword) @name) @definition.field)
    (list (keywords (pair key: (keyword) @name) @definition.field))
  ])
  (#any-of? @_word "defstruct" "defexception"))
(call
  target: (identifier) @_word
  (arguments . (atom) @name)
  (#any-of? @_word "field" "belongs_to" "has_many" "has_one" "embeds_many" "embeds_one" "attr" "slot")) @definition.field

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_word
    (arguments
      .
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)])))
  (#any-of? @_word "type" "typep" "opaque")) @definition.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_word
    (arguments
      .
      [
        (binary_operator left: (call target: (identifier) @name))
        (binary_operator left: (binary_operator left: (call target: (identifier) @name)))
      ]))
  (#any-of? @_word "callback" "macrocallback")) @definition.method
(do_block
  (unary_operator
    operator: "@"
    operand: (call target: (identifier) @name (arguments))) @definition.constant
  (#not-any-of? @name
    "doc" "moduledoc" "typedoc" "shortdoc" "spec" "type" "typep" "opaque" "callback" "macrocallback" "impl"
    "behaviour" "derive" "enforce_keys" "dialyzer" "compile" "external_resource" "tag" "moduletag" "describetag"
    "before_compile" "after_compile" "on_definition" "deprecated" "since" "optional_callbacks" "requirements"))
