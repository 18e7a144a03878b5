(line_comment) @comment
(block_comment) @comment
(package_declaration (_) @package .)
(import_declaration [(scoped_identifier) (identifier)] @import)

(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(module_declaration name: (_) @name body: (_) @body) @definition.module

(method_declaration name: (identifier) @name body: (block)? @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method

(enum_constant name: (identifier) @name) @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(record_declaration
  parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))

; What stands in quotes uses no name.
[(string_fragment) (character_literal)] @literal

; Scopes, and the names bound in them.
[
  (method_declaration) (constructor_declaration) (compact_constructor_declaration) (lambda_expression) (block)
  (constructor_body) (for_statement) (enhanced_for_statement) (try_with_resources_statement) (catch_clause)
  (switch_block_statement_group) (switch_rule)
] @block
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
(formal_parameter name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local))
(catch_formal_parameter name: (identifier) @local)
(resource name: (identifier) @local)
(enhanced_for_statement name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(instanceof_expression name: (identifier) @local)
(type_pattern (identifier) @local)
(record_pattern_component (identifier) @local)
(type_parameter . (type_identifier) @hoisted)
(element_value_pair key: (identifier) @label)
