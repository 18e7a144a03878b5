(comment) @comment
(block_comment) @comment
(package_clause name: (_) @package)
(package_clause body: (_)) @container
(import_declaration) @import

(class_definition name: (_) @name body: (_)? @body) @definition.class
(object_definition name: (_) @name body: (_)? @body) @definition.module
(package_object name: (_) @name body: (_)? @body) @definition.module
(trait_definition name: (_) @name body: (_)? @body) @definition.trait
(enum_definition name: (_) @name body: (_)? @body) @definition.enum
(simple_enum_case name: (_) @name) @definition.constant
(full_enum_case name: (_) @name) @definition.constant
(type_definition name: (_) @name) @definition.type

; An extension's methods belong to the type it extends.
(extension_definition
  parameters: (parameters . (parameter type: [(type_identifier) @owner (_ type: (type_identifier) @owner)]))) @container
(extension_definition) @container

(template_body (function_definition name: (_) @name body: (_) @body) @definition.method)
(template_body (function_declaration name: (_) @name) @definition.method)
(function_definition name: (_) @name body: (_) @body) @definition.function
(function_declaration name: (_) @name) @definition.function
(given_definition name: (_) @name body: (_)? @body) @definition.constant

(template_body (val_definition pattern: (identifier) @name value: (_) @body) @definition.field)
(template_body (val_declaration name: (_) @name) @definition.field)
(template_body (var_definition pattern: (identifier) @name value: (_) @body) @definition.field)
(template_body (var_declaration name: (_) @name) @definition.field)
(compilation_unit (val_definition pattern: (identifier) @name value: (_) @body) @definition.constant)
(compilation_unit (var_definition pattern: (identifier) @name value: (_) @body) @definition.variable)
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (_) @name) @definition.field))
(class_parameter ["val" "var"] name: (_) @name) @definition.field

; What stands in quotes uses no name.
[(string) (character_literal)] @literal

; Scopes, and the names bound in them.
[
  (function_definition) (block) (lambda_expression) (for_expression) (case_clause)
] @block
[(val_definition) (var_definition)] @after
(val_definition pattern: (identifier) @local)
(var_definition pattern: (identifier) @local)
(parameter name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(binding name: (identifier) @local)
(enumerator . (identifier) @local)
[
  (tuple_pattern (identifier) @local.lower)
  (case_clause pattern: (identifier) @local.lower)
  (case_class_pattern pattern: (identifier) @local.lower)
  (typed_pattern pattern: (identifier) @local.lower)
  (capture_pattern name: (identifier) @local.lower)
]
(arguments (assignment_expression left: (identifier) @label))
