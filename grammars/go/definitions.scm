(package_clause (package_identifier) @package)
(import_spec path: (_) @import)
(comment) @comment

(function_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.function

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @owner
        (pointer_type (type_identifier) @owner)
        (generic_type type: (type_identifier) @owner)
        (pointer_type (generic_type type: (type_identifier) @owner))
      ]))
  name: (field_identifier) @name
  body: (block)? @body) @definition.method

(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct

(type_spec
  name: (type_identifier) @name
  type: (interface_type "{" @body)) @definition.interface

(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type

(type_spec
  type: (interface_type
    (method_elem name: (field_identifier) @name) @definition.method))

(type_spec
  type: (struct_type
    (field_declaration_list
      (field_declaration name: (field_identifier) @name) @definition.field)))

; An embedded type is a field of its name.
(type_spec
  type: (struct_type
    (field_declaration_list
      (field_declaration
        !name
        type: [
          (type_identifier) @name @used
          (qualified_type name: (type_identifier) @name @used)
          (generic_type type: (type_identifier) @name @used)
        ]) @definition.field)))

(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))

; What stands in quotes uses no name.
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @literal

; Scopes, and the names bound in them.
[
  (function_declaration) (method_declaration) (func_literal) (function_type) (method_elem) (block) (if_statement)
  (for_statement) (expression_switch_statement) (type_switch_statement) (expression_case) (default_case) (type_case)
  (communication_case)
] @block
[(short_var_declaration) (var_spec) (const_spec) (range_clause) (receive_statement)] @after
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local) ":=")
(receive_statement left: (expression_list (identifier) @local) ":=")
(type_switch_statement alias: (expression_list (identifier) @local.body))
(var_spec name: (identifier) @local)
(const_spec name: (identifier) @local)
(parameter_declaration name: (identifier) @local.body)
(variadic_parameter_declaration name: (identifier) @local.body)
(type_parameter_declaration name: (identifier) @local)

; Keys that are values, in literals of maps, slices and arrays.
(composite_literal
  type: [(map_type) (slice_type) (array_type) (implicit_length_array_type)]
  body: (literal_value (keyed_element key: (literal_element (identifier) @value))))
(composite_literal
  type: (map_type value: (map_type))
  body: (literal_value
    (keyed_element
      value: (literal_element (literal_value (keyed_element key: (literal_element (identifier) @value)))))))
(composite_literal
  type: (slice_type element: (map_type))
  body: (literal_value
    (literal_element (literal_value (keyed_element key: (literal_element (identifier) @value))))))
