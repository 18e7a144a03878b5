(comment) @comment

(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)

; Decorated definitions begin at their first decorator.
(class_definition
  body: (block
    (decorated_definition
      definition: (function_definition
        name: (identifier) @name
        body: (block) @body)) @definition.method))

(class_definition
  body: (block
    (function_definition
      name: (identifier) @name
      body: (block) @body) @definition.method))

(decorated_definition
  definition: (function_definition
    name: (identifier) @name
    body: (block) @body)) @definition.function

(function_definition
  name: (identifier) @name
  body: (block) @body) @definition.function

(decorated_definition
  definition: (class_definition
    name: (identifier) @name
    body: (block) @body)) @definition.class

(class_definition
  name: (identifier) @name
  body: (block) @body) @definition.class

; Doc strings.
(module . (comment)* . (expression_statement . (string) @doc .))
(class_definition body: (block . (comment)* . (expression_statement . (string) @doc .)))
(function_definition body: (block . (comment)* . (expression_statement . (string) @doc .)))

; Names bound at module level, under `if` and `try` as well, and in class bodies.
(module (expression_statement (assignment left: (identifier) @name)) @definition.variable)
(module (expression_statement (assignment left: (pattern_list (identifier) @name))) @definition.variable)
(module (if_statement (block (expression_statement (assignment left: (identifier) @name)) @definition.variable)))
(module (if_statement (else_clause (block (expression_statement (assignment left: (identifier) @name)) @definition.variable))))
(module (try_statement (block (expression_statement (assignment left: (identifier) @name)) @definition.variable)))
(module (type_alias_statement left: (type (identifier) @name)) @definition.type)
; The first place that sets a member defines it.
(class_definition body: (block (expression_statement (assignment left: (identifier) @attribute))))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @attribute) (#any-of? @_self "self" "cls"))
(assignment
  left: (pattern_list (attribute object: (identifier) @_self attribute: (identifier) @attribute))
  (#any-of? @_self "self" "cls"))

; What stands in quotes uses no name, except in types and in the list of exported names.
(string_content) @literal
(type (string (string_content) @quoted))
(type (binary_operator (string (string_content) @quoted)))
(assignment
  left: (identifier) @_all (#eq? @_all "__all__")
  right: (_ (string (string_content) @quoted)))

; Scopes, and the names bound in them.
[
  (function_definition) (lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension)
  (generator_expression)
] @block.function
(class_definition) @block.class
(default_parameter value: (_) @outer)
(typed_default_parameter value: (_) @outer)
[
  (assignment left: (identifier) @hoisted)
  (augmented_assignment left: (identifier) @hoisted)
  (named_expression name: (identifier) @hoisted)
  (for_statement left: (identifier) @hoisted)
  (for_in_clause left: (identifier) @hoisted)
  (pattern_list (identifier) @hoisted)
  (tuple_pattern (identifier) @hoisted)
  (list_pattern (identifier) @hoisted)
  (list_splat_pattern (identifier) @hoisted)
  (dictionary_splat_pattern (identifier) @hoisted)
  (parameters (identifier) @hoisted)
  (lambda_parameters (identifier) @hoisted)
  (default_parameter name: (identifier) @hoisted)
  (typed_parameter . (identifier) @hoisted)
  (typed_default_parameter name: (identifier) @hoisted)
  (as_pattern_target (identifier) @hoisted)
  (as_pattern_target (tuple (identifier) @hoisted))
  (case_pattern (dotted_name . (identifier) @hoisted .))
  (case_pattern (as_pattern (identifier) @hoisted))
  (keyword_pattern (dotted_name . (identifier) @hoisted .))
  (splat_pattern (identifier) @hoisted)
]
(function_definition name: (identifier) @hoisted.around)
(class_definition name: (identifier) @hoisted.around)
(global_statement (identifier) @rebound)
(nonlocal_statement (identifier) @rebound)
(keyword_argument name: (identifier) @label)
(keyword_pattern . (identifier) @label)
