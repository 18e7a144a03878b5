; A function is its signature and the body that follows it.
[(comment) (documentation_comment)] @comment
(library_name (dotted_identifier_list) @package)
(uri (string_literal) @import)

(type_alias . (type_identifier) @name . (type_parameters)? . "=") @definition.type
(type_alias (type_identifier) @name . [(formal_parameter_list) (type_parameters)]) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_constant name: (_) @name) @definition.constant
(class_definition name: (_) @name body: (_) @body) @definition.class
(mixin_declaration . (_) . (identifier) @name (class_body) @body) @definition.trait
(mixin_declaration (identifier) @name (class_body) @body) @definition.trait
(extension_declaration name: (_) @name body: (_) @body) @definition.class
(extension_declaration !name class: (_) @owner) @container
(extension_type_declaration name: (_) @name body: (_) @body) @definition.class

; Constructors are named by their last word: `Order.fromJson`.
(declaration (constructor_signature (identifier) @name . (formal_parameter_list))) @definition.method
(declaration (constant_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.method
(declaration (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.method
(declaration (factory_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.method
((method_signature
    [
      (constructor_signature (identifier) @name . (formal_parameter_list))
      (factory_constructor_signature (identifier) @name . (formal_parameter_list))
    ]) @definition.method
  .
  (function_body) @body @definition.method)

((method_signature [(getter_signature name: (_) @name) (setter_signature name: (_) @name)]) @definition.property
  .
  (function_body) @body @definition.property)
((method_signature (function_signature name: (_) @name)) @definition.method
  .
  (function_body) @body @definition.method)
((method_signature (operator_signature (binary_operator) @name)) @definition.method
  .
  (function_body) @body @definition.method)
(declaration (function_signature name: (_) @name)) @definition.method
(declaration [(getter_signature name: (_) @name) (setter_signature name: (_) @name)]) @definition.property
(declaration
  (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.constant
(declaration
  (initialized_identifier_list (initialized_identifier . (identifier) @name))) @definition.field

(program
  (function_signature name: (_) @name) @definition.function
  .
  (function_body) @body @definition.function)
(program
  [(getter_signature name: (_) @name) (setter_signature name: (_) @name)] @definition.property
  .
  (function_body) @body @definition.property)
(program (function_signature name: (_) @name) @definition.function)
(program
  (static_final_declaration_list (static_final_declaration . (identifier) @name) @definition.constant))
(program
  (initialized_identifier_list (initialized_identifier . (identifier) @name) @definition.variable))
(local_function_declaration
  (lambda_expression (function_signature name: (_) @name) (function_body) @body)) @definition.function

; What stands in quotes uses no name; what has values in it is left, as it has no nodes between them.
((string_literal) @literal (#not-match? @literal "[$]"))

; Scopes, and the names bound in them.
(named_argument (label (identifier) @label))
[
  (formal_parameter name: (identifier) @hoisted.function)
  (formal_parameter . (identifier) @hoisted.function .)
  (initialized_variable_definition name: (identifier) @hoisted.function)
  (local_variable_declaration (initialized_variable_definition (initialized_identifier (identifier) @hoisted.function)))
  (for_loop_parts name: (identifier) @hoisted.function)
  (catch_parameters (identifier) @hoisted.function)
]
