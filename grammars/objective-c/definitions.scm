(comment) @comment
(preproc_include path: (_) @import)
(module_import path: (_) @import)
(translation_unit [(preproc_ifdef) (preproc_if) (linkage_specification)] @container)

(preproc_def name: (_) @name) @definition.macro
(preproc_function_def name: (_) @name value: (_)? @body) @definition.macro

; Members of a category or an extension belong to the class.
(class_interface . (identifier) @owner category: (_)) @container
(class_implementation . (identifier) @owner category: (_)) @container
(class_interface . (identifier) @owner . "(" . ")") @container
(class_interface . (identifier) @name superclass: (_) . (_)? @body) @definition.class
(class_implementation . (identifier) @name . (_)? @body !category) @definition.class
(protocol_declaration . (identifier) @name . (_)? @body) @definition.interface

; A selector is named by its first part: that is what a call begins with.
(method_definition . (method_type)? . (identifier) @name (compound_statement) @body) @definition.method
(method_declaration . (method_type)? . (identifier) @name) @definition.method
(property_declaration
  (struct_declaration
    (struct_declarator
      [
        (identifier) @name
        (_ declarator: (identifier) @name)
        (_ declarator: (_ (_ declarator: (identifier) @name)))
      ]))) @definition.property
(instance_variable
  (struct_declaration
    (struct_declarator [(identifier) @name (_ declarator: (identifier) @name)]))) @definition.field

(function_definition
  declarator: [
    (_ declarator: (identifier) @name parameters: (_))
    (_ declarator: (_ declarator: (identifier) @name parameters: (_)))
  ]
  body: (_) @body) @definition.function
(translation_unit
  (declaration
    declarator: [
      (_ declarator: (identifier) @name parameters: (_))
      (_ declarator: (_ declarator: (identifier) @name parameters: (_)))
    ]) @definition.function)

; `typedef struct x {…} x;` defines one thing.
(type_definition
  type: (_ name: (type_identifier) @again body: (_))
  declarator: (type_identifier) @_name
  (#eq? @again @_name))
(type_definition type: (_ body: (field_declaration_list) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (_ body: (enumerator_list) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition
  declarator: [
    (type_identifier) @name
    (_ declarator: (type_identifier) @name)
    (_ declarator: (_ (_ declarator: (type_identifier) @name)))
  ]) @definition.type
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(field_declaration
  declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name)]) @definition.field

(translation_unit
  (declaration
    declarator: [
      (identifier) @name
      (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
    ]) @definition.variable)

; What stands in quotes uses no name.
[(string_content) (character)] @literal
