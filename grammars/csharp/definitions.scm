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
