(comment) @comment
(multiline_comment) @comment
(import_declaration (identifier) @import)
(directive) @comment

(class_declaration declaration_kind: ["class" "actor"] name: (_) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @body) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @body) @definition.enum
(protocol_declaration name: (_) @name body: (_) @body) @definition.interface

; An extension's members belong to the type it extends.
(class_declaration
  declaration_kind: "extension"
  name: (user_type (type_identifier) @owner .)
  body: (class_body
    [
      (function_declaration name: (_) @name body: (_)? @body)
      (init_declaration "init" @name body: (_)? @body)
    ] @definition.method))
(class_declaration
  declaration_kind: "extension"
  name: (user_type (type_identifier) @owner .)
  body: (class_body
    (property_declaration name: (_ bound_identifier: (_) @name) computed_value: (_)? @body) @definition.property))
(class_declaration declaration_kind: "extension") @container

(class_body (function_declaration name: (_) @name body: (_)? @body) @definition.method)
(enum_class_body (function_declaration name: (_) @name body: (_)? @body) @definition.method)
(protocol_function_declaration name: (_) @name) @definition.method
(function_declaration name: (_) @name body: (_)? @body) @definition.function
(init_declaration "init" @name body: (_)? @body) @definition.method
(deinit_declaration "deinit" @name body: (_)? @body) @definition.method
(subscript_declaration "subscript" @name (computed_property)? @body) @definition.method
(macro_declaration (simple_identifier) @name) @definition.macro

(class_body (property_declaration name: (_ bound_identifier: (_) @name) computed_value: (_)? @body) @definition.property)
(enum_class_body (property_declaration name: (_ bound_identifier: (_) @name) computed_value: (_)? @body) @definition.property)
(protocol_property_declaration name: (_ bound_identifier: (_) @name)) @definition.property
(source_file (property_declaration name: (_ bound_identifier: (_) @name)) @definition.variable)
(enum_entry name: (simple_identifier) @name) @definition.constant
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (_) @name) @definition.type
