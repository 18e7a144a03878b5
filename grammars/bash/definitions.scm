(comment) @comment
(command
  name: (command_name) @_source
  .
  argument: (_) @import
  (#any-of? @_source "source" "." "load" "bats_load_library"))

(function_definition name: (_) @name body: (_) @body) @definition.function
(command
  name: (command_name) @_test
  .
  argument: (string (string_content) @name)
  (#eq? @_test "@test")) @definition.function

(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
(program (declaration_command (variable_name) @name) @definition.variable)
(program (if_statement (variable_assignment name: (variable_name) @name) @definition.variable))
