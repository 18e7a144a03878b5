(comment) @comment
(using_directive [(identifier) (qualified_name)] @import .)
(namespace_declaration name: (_) @package) @container
(file_scoped_namespace_declaration name: (_) @package)
(preproc_if) @container

(class_declaration name: (_) @name body: (_)? @body) @definition.class
(struct_declaration name: (_) @name body: (_)? @body) @definition.struct
(record_declaration name: (_) @name body: (_)? @body) @definition.class
(interface_declaration name: (_) @name body: (_)? @body) @definition.interface
(enum_declaration name: (_) @name body: (_)? @body) @definition.enum
(delegate_declaration name: (_) @name) @definition.type

(method_declaration name: (_) @name body: (_)? @body) @definition.method
(constructor_declaration name: (_) @name body: (_)? @body) @definition.method
(destructor_declaration "~" @name name: (_) @name body: (_)? @body) @definition.method
(operator_declaration "operator" @name operator: _ @name body: (_)? @body) @definition.method
(conversion_operator_declaration "operator" @name type: (_) @name body: (_)? @body) @definition.method
(local_function_statement name: (_) @name body: (_)? @body) @definition.function
(property_declaration name: (_) @name accessors: (_) @body) @definition.property
(property_declaration name: (_) @name value: (_) @body) @definition.property
(indexer_declaration "this" @name [(accessor_list) (arrow_expression_clause)]? @body) @definition.property
(event_declaration name: (_) @name) @definition.property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.property

(enum_member_declaration name: (_) @name) @definition.constant
(field_declaration
  (modifier "const")
  (variable_declaration (variable_declarator name: (_) @name))) @definition.constant
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.field
(record_declaration (parameter_list (parameter name: (_) @name) @definition.property))

; What stands in quotes uses no name.
[(string_literal) (string_content) (verbatim_string_literal) (raw_string_literal) (character_literal)] @literal

; Scopes, and the names bound in them.
[
  (method_declaration) (constructor_declaration) (operator_declaration) (local_function_statement) (lambda_expression)
  (anonymous_method_expression) (accessor_declaration) (indexer_declaration) (block) (for_statement) (foreach_statement)
  (using_statement) (catch_clause) (switch_section) (switch_expression_arm) (query_expression)
] @block
(variable_declarator name: (identifier) @local)
(parameter name: (identifier) @local)
(parameter_list name: (identifier) @local)
(implicit_parameter) @local
(foreach_statement left: (identifier) @local)
(tuple_pattern name: (identifier) @local)
(catch_declaration name: (identifier) @local)
(declaration_expression name: (identifier) @local)
(declaration_pattern name: (identifier) @local)
(recursive_pattern name: (identifier) @local)
(var_pattern name: (identifier) @local)
(type_parameter name: (identifier) @hoisted)
(from_clause name: (identifier) @local)
(let_clause . (identifier) @local)
(argument name: (identifier) @label)
(initializer_expression (assignment_expression left: (identifier) @label))
(attribute_argument (assignment_expression left: (identifier) @label))
