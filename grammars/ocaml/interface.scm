; What a .mli holds. A definition begins behind `type`, `module` or `and`.
(comment) @comment
(open_module module: (_) @import)
(include_module_type (_) @import)

(exception_definition (constructor_declaration . (constructor_name) @name)) @definition.type
(type_binding name: (_) @name body: (_)? @body) @definition.type
(constructor_declaration . (constructor_name) @name) @definition.constant
(field_declaration . (field_name) @name) @definition.field

(module_binding . (module_name) @name module_type: (_)? @body) @definition.module
(module_type_definition . (module_type_name) @name body: (_)? @body) @definition.interface
(class_binding (class_name) @name body: (_)? @body) @definition.class
(class_type_binding (class_type_name) @name body: (_)? @body) @definition.class
(method_specification (method_name) @name) @definition.method

(value_specification
  . [(value_name) (parenthesized_operator)] @name
  type: (function_type)) @definition.function
(external . [(value_name) (parenthesized_operator)] @name) @definition.function
(value_specification . [(value_name) (parenthesized_operator)] @name) @definition.constant
