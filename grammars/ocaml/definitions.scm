; A definition begins behind `let`, `type`, `module` or `and`.
(comment) @comment
(open_module module: (_) @import)
(include_module (module_path) @import)

(exception_definition (constructor_declaration . (constructor_name) @name)) @definition.type
(type_binding name: (_) @name body: (_)? @body) @definition.type
(constructor_declaration . (constructor_name) @name) @definition.constant
(field_declaration . (field_name) @name) @definition.field

(module_binding . (module_name) @name body: (_)? @body) @definition.module
(module_type_definition . (module_type_name) @name body: (_)? @body) @definition.interface
(class_binding (class_name) @name body: (_)? @body) @definition.class
(class_type_binding (class_type_name) @name body: (_)? @body) @definition.class
(method_definition (method_name) @name body: (_)? @body) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field

; Functions wherever they stand, other values only at the top of a module.
(let_binding
  pattern: [(value_name) (parenthesized_operator)] @name
  . (parameter)
  body: (_) @body) @definition.function
(let_binding
  pattern: [(value_name) (parenthesized_operator)] @name
  body: [(fun_expression) (function_expression)] @body) @definition.function
(value_specification
  . [(value_name) (parenthesized_operator)] @name
  type: (function_type)) @definition.function
(external . [(value_name) (parenthesized_operator)] @name) @definition.function
(value_specification . [(value_name) (parenthesized_operator)] @name) @definition.constant
(compilation_unit
  (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
(structure
  (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
(compilation_unit
  (value_definition (let_binding pattern: (tuple_pattern (value_name) @name)) @definition.constant))

; `let%test "what it does" = …`
(value_definition
  (attribute_id)
  (let_binding pattern: (string (string_content) @name) body: (_) @body)) @definition.function

; What stands in quotes uses no name.
[(string_content) (character_content) (quoted_string_content)] @literal
