(comment) @comment
(command
  command_name: (command_name) @_word
  command_elements: (command_elements (generic_token) @import)
  (#match? @_word "^[Ii]mport-[Mm]odule$"))
(command
  (command_invokation_operator) @_word
  command_name: (command_name_expr (command_name) @import)
  (#eq? @_word "."))

(function_statement (function_name) @name (script_block)? @body) @definition.function
(class_statement (simple_name) @name) @definition.class
(class_method_definition (simple_name) @name (script_block)? @body) @definition.method
(class_property_definition (variable) @name) @definition.field
(enum_statement (simple_name) @name) @definition.enum
(enum_member (simple_name) @name) @definition.constant

; What stands in quotes uses no name; in double quotes variables do.
[(verbatim_string_characters) (verbatim_here_string_characters)] @literal
