(comment) @comment
(apply_expression
  function: (variable_expression name: (identifier) @_word)
  argument: (path_expression) @import
  (#eq? @_word "import"))

(binding attrpath: (_) @name expression: (function_expression body: (_) @body)) @definition.function
(let_expression (binding_set binding: (binding attrpath: (_) @name) @definition.variable))
(binding attrpath: (_) @name) @definition.property

; What stands in quotes uses no name.
(string_fragment) @literal
