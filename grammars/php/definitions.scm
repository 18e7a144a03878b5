(comment) @comment
(namespace_use_clause . [(qualified_name) (name)] @import)
(namespace_definition name: (_) @package body: (_)?) @container

(class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(trait_declaration name: (_) @name body: (_) @body) @definition.trait
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(anonymous_class) @container

(function_definition name: (_) @name body: (_) @body) @definition.function
(method_declaration name: (_) @name body: (_)? @body) @definition.method
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(class_declaration
  name: (_) @owner
  body: (_
    (method_declaration
      parameters: (_ (property_promotion_parameter name: (variable_name (name) @name)) @definition.field))))
(property_promotion_parameter name: (variable_name (name) @name)) @definition.field
(const_element . (name) @name) @definition.constant
(enum_case name: (_) @name) @definition.constant
(program
  (expression_statement
    (_
      function: (name) @_define
      arguments: (_ . (argument (string (string_content) @name))))) @definition.constant
  (#eq? @_define "define"))
(program
  (if_statement
    body: (_
      (expression_statement
        (_
          function: (name) @_define
          arguments: (_ . (argument (string (string_content) @name))))) @definition.constant))
  (#eq? @_define "define"))

; What stands in quotes uses no name.
[(string_content) (nowdoc_body) (text)] @literal

; Scopes, and the names bound in them.
(argument name: (name) @label)
