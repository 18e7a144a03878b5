(comment) @comment
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit) @package
  (#eq? @_word "ns"))
(list_lit
  . value: (kwd_lit name: (kwd_name) @_word)
  value: (vec_lit . value: (sym_lit) @import)
  (#any-of? @_word "require" "use"))

(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  (#any-of? @_word "defn" "defn-" "defmulti")) @definition.function
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  (#eq? @_word "defmethod")) @definition.method
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  (#eq? @_word "defmacro")) @definition.macro
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  (#any-of? @_word "defprotocol" "definterface")) @definition.interface
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  (#any-of? @_word "defrecord" "deftype" "defstruct")) @definition.class
(list_lit
  . value: (sym_lit name: (sym_name) @_word)
  . value: (sym_lit name: (sym_name) @name)
  (#any-of? @_word "def" "defonce")) @definition.variable

; What stands in quotes uses no name.
(str_lit) @literal
