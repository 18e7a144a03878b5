(comment) @comment
(function_call
  name: (identifier) @_require
  arguments: (arguments . (string content: (_) @import) .)
  (#eq? @_require "require"))

(function_declaration
  name: [
    (identifier) @name
    (dot_index_expression table: (_) @owner field: (_) @name)
  ]
  body: (_)? @body) @definition.function
(function_declaration
  name: (method_index_expression table: (_) @owner method: (_) @name)
  body: (_)? @body) @definition.method

(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (_)? @body)))) @definition.function
(assignment_statement
  (variable_list
    .
    name: [
      (identifier) @name
      (_ table: (_) @owner field: (identifier) @name)
      (_ table: (_) @owner field: (string content: (_) @name))
    ])
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(field
  name: [(identifier) @name (string content: (_) @name)]
  value: (function_definition body: (_)? @body)) @definition.function

; Names bound to what `require` gives are imports, not definitions.
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name)
      (expression_list . (_) @_value))) @definition.variable
  (#not-match? @_value "^require\\b"))
(chunk
  (assignment_statement
    (variable_list name: (identifier) @name)) @definition.variable)
(chunk
  (assignment_statement
    (variable_list name: (dot_index_expression table: (_) @owner field: (_) @name))) @definition.field)

; What stands in quotes uses no name.
(string_content) @literal

; Scopes, and the names bound in them.
[(function_declaration) (function_definition) (block) (for_statement)] @block
(variable_declaration) @after
(variable_declaration (variable_list name: (identifier) @local))
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(parameters name: (identifier) @local)
(for_numeric_clause name: (identifier) @local)
(for_generic_clause (variable_list name: (identifier) @local))
(field name: (identifier) @label)
