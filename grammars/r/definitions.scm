(comment) @comment
(call
  function: (identifier) @_function
  arguments: (arguments . argument: (argument value: [(identifier) @import (string content: (_) @import)]))
  (#any-of? @_function "library" "require" "requireNamespace" "source"))

; Classes of R6 and of R's own reference classes; their methods are named arguments.
(binary_operator
  lhs: (identifier) @name
  rhs: (call function: (identifier) @_function (#any-of? @_function "R6Class" "setRefClass"))) @definition.class
(argument name: (identifier) @name value: (function_definition body: (_) @body)) @definition.function
(binary_operator
  lhs: (identifier) @name
  rhs: (function_definition body: (_) @body)) @definition.function
(call
  function: (identifier) @_function
  arguments: (arguments . argument: (argument value: (string content: (_) @name)))
  (#any-of? @_function "setClass" "setRefClass")) @definition.class
(call
  function: (identifier) @_function
  arguments: (arguments . argument: (argument value: (string content: (_) @name)))
  (#eq? @_function "setGeneric")) @definition.function
(call
  function: (identifier) @_function
  arguments: (arguments
    . argument: (argument value: (string content: (_) @name))
    . (comma)
    . argument: (argument value: (string content: (_) @owner)))
  (#eq? @_function "setMethod")) @definition.method
(program (binary_operator lhs: (identifier) @name operator: ["<-" "<<-" "="]) @definition.variable)

; What stands in quotes uses no name.
(string_content) @literal
