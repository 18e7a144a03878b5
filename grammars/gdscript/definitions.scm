(comment) @comment
(extends_statement (string) @import)
(call
  (identifier) @_load
  (arguments . (string) @import .)
  (#any-of? @_load "preload" "load"))

(class_name_statement (name) @name) @definition.class
(class_definition name: (name) @name body: (_) @body) @definition.class
(function_definition name: (name) @name body: (_) @body) @definition.function
(signal_statement (name) @name) @definition.field
(const_statement name: (name) @name) @definition.constant
(enum_definition name: (name) @name body: (_) @body) @definition.enum
(enumerator left: (identifier) @name) @definition.constant
(source (variable_statement name: (name) @name) @definition.variable)
(class_definition body: (body (variable_statement name: (name) @name) @definition.field))

; What stands in quotes uses no name.
(string) @literal
