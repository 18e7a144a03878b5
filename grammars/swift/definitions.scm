(comment) @comment
(multiline_comment) @comment
(import_declaration (identifier) @import)
(directive) @comment

(class_declaration declaration_kind: ["class" "actor"] name: (_) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @body) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @body) @definition.enum
(protocol_declaration name: (_) @name body: (_) @body) @definition.interface

; Members; those of an extension belong to the type it extends.
(class_declaration
  declaration_kind: "extension"
  name: (user_type (type_identifier) @owner .)) @container

(class_body (_ name: [(simple_identifier) (custom_operator)] @name body: (function_body) @body) @definition.method)
(class_body (_ "init" @name body: (_) @body) @definition.method)
(class_body (_ name: (_ bound_identifier: (_) @name) computed_value: (_)? @body) @definition.property)
(class_body (_ "subscript" @name (computed_property)? @body) @definition.method)
(deinit_declaration "deinit" @name body: (_)? @body) @definition.method
(enum_class_body (_ name: [(simple_identifier) (custom_operator)] @name body: (function_body) @body) @definition.method)
(enum_class_body (_ "init" @name body: (_) @body) @definition.method)
(enum_class_body (_ name: (_ bound_identifier: (_) @name) computed_value: (_)? @body) @definition.property)
(protocol_body (protocol_function_declaration name: (simple_identifier) @name) @definition.method)
(protocol_body (protocol_property_declaration name: (_ bound_identifier: (_) @name)) @definition.property)
(protocol_body (_ "init" @name) @definition.method)
(source_file (_ name: [(simple_identifier) (custom_operator)] @name body: (function_body) @body) @definition.function)
(statements (_ name: [(simple_identifier) (custom_operator)] @name body: (function_body) @body) @definition.function)
(macro_declaration (simple_identifier) @name) @definition.macro

(source_file (_ name: (_ bound_identifier: (_) @name)) @definition.variable)
(enum_entry name: (simple_identifier) @name) @definition.constant
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

; What stands in quotes uses no name.
[(line_str_text) (multi_line_str_text)] @literal

; Scopes, and the names bound in them.
[
  (function_declaration) (init_declaration) (subscript_declaration) (computed_getter) (computed_setter) (lambda_literal)
  (statements) (if_statement) (while_statement) (for_statement) (switch_entry) (catch_block)
] @block
(property_declaration) @after
(property_declaration name: (pattern bound_identifier: (simple_identifier) @local))
(property_declaration name: (pattern (pattern (simple_identifier) @local)))
(parameter name: (simple_identifier) @local)
(type_parameter (type_identifier) @hoisted)
(lambda_parameter name: (simple_identifier) @local)
(if_statement bound_identifier: (simple_identifier) @local.body)
(while_statement bound_identifier: (simple_identifier) @local.body)
(guard_statement bound_identifier: (simple_identifier) @local.body)
(for_statement item: (pattern bound_identifier: (simple_identifier) @local.body))
(for_statement item: (pattern (pattern (simple_identifier) @local.body)))
(pattern (value_binding_pattern) bound_identifier: (simple_identifier) @local)
(switch_pattern (pattern (value_binding_pattern) (pattern (simple_identifier) @local)))
(parameter external_name: (simple_identifier) @label)
(value_argument_label (simple_identifier) @label)
