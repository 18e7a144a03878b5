(line_comment) @comment
(block_comment) @comment
(package_header (_) @package)
(import (qualified_identifier) @import)

(class_declaration "interface" name: (_) @name (class_body)? @body) @definition.interface
(class_declaration name: (_) @name (enum_class_body) @body) @definition.enum
(class_declaration name: (_) @name (class_body)? @body) @definition.class
(object_declaration name: (_) @name (class_body)? @body) @definition.class
(companion_object name: (_) @name (class_body)? @body) @definition.class
(companion_object !name) @container
(enum_entry . (identifier) @name) @definition.constant
(enum_entry . (modifiers) . (identifier) @name) @definition.constant
(type_alias type: (identifier) @name) @definition.type

; An extension belongs to the type it extends.
(function_declaration
  [(user_type (identifier) @owner .) (user_type (identifier) @owner . (type_arguments)) (nullable_type (user_type . (identifier) @owner))]
  .
  "."
  name: (_) @name
  (function_body)? @body) @definition.function
(class_body (function_declaration name: (_) @name (function_body)? @body) @definition.method)
(enum_class_body (function_declaration name: (_) @name (function_body)? @body) @definition.method)
(function_declaration name: (_) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.method

(property_declaration
  (modifiers (property_modifier) @_const)
  (variable_declaration . (identifier) @name)
  (#eq? @_const "const")) @definition.constant
(property_declaration
  [(user_type (identifier) @owner .) (user_type (identifier) @owner . (type_arguments)) (nullable_type (user_type . (identifier) @owner))]
  .
  "."
  (variable_declaration . (identifier) @name)) @definition.property
(class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.property)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.property)
(source_file (property_declaration (variable_declaration . (identifier) @name)) @definition.variable)
(class_parameter ["val" "var"] . (identifier) @name) @definition.property

; What stands in quotes uses no name.
[(string_content) (character_literal)] @literal

; Scopes, and the names bound in them.
[
  (function_declaration) (secondary_constructor) (anonymous_function) (lambda_literal) (block) (for_statement)
  (catch_block) (when_expression) (getter) (setter)
] @block
(property_declaration) @after
(property_declaration (variable_declaration . (identifier) @local))
(multi_variable_declaration (variable_declaration . (identifier) @local))
(lambda_parameters (variable_declaration . (identifier) @local))
(for_statement (variable_declaration . (identifier) @local))
(when_subject (variable_declaration . (identifier) @local))
(catch_block . (identifier) @local)
(parameter . (identifier) @local)
(type_parameter (identifier) @hoisted)
(value_argument (identifier) @label "=")
