; A function is one definition: its signature and the equations that follow, or its first equation.
(comment) @comment
(haddock) @comment
(header module: (_) @package)
(import module: (_) @import)

(declarations
  (signature name: [(variable) @name (prefix_id (operator) @name)]) @definition.function
  .
  [(function name: (_) @_more) (bind name: (_) @_more) (function (infix))] @definition.function @body
  .
  [(function name: (_) @_more) (bind name: (_) @_more) (function (infix))]* @definition.function
  (#eq? @_more @name))
(declarations (signature name: [(variable) @name (prefix_id (operator) @name)]) @definition.function)
(declarations
  (signature names: (binding_list name: [(variable) @name (prefix_id (operator) @name)])) @definition.function)
(declarations . [(function name: (_) @name) (bind name: (_) @name)] @definition.function)
(declarations
  (_ name: (_) @_before)
  .
  [(function name: (_) @name) (bind name: (_) @name)] @definition.function
  (#not-eq? @_before @name))
(declarations
  [(comment) (haddock) (pragma) (top_splice) (instance) (function (infix))]
  .
  [(function name: (_) @name) (bind name: (_) @name)] @definition.function)

(data_type name: (_) @name constructors: (_)? @body) @definition.type
(newtype name: (_) @name constructor: (_)? @body) @definition.type
(type_synomym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(data_constructor (record name: (_) @name @definition.constant))
(data_constructor (_ name: (_) @name)) @definition.constant
(gadt_constructor name: (_) @name) @definition.constant
(newtype_constructor name: (_) @name @definition.constant)
(field name: (field_name (variable) @name)) @definition.field

(class name: (_) @name declarations: (_)? @body) @definition.class
(class_declarations (signature name: [(variable) @name (prefix_id (operator) @name)]) @definition.method)
(class_declarations
  (signature names: (binding_list name: [(variable) @name (prefix_id (operator) @name)])) @definition.method)

; `instance Show T`: its methods belong to T.
(instance_declarations . (_ name: (variable) @name) @definition.method)
(instance_declarations
  (_ name: (_) @_before)
  .
  (_ name: (variable) @name) @definition.method
  (#not-eq? @_before @name))
(instance
  patterns: (type_patterns
    .
    [(name) @owner (parens type: (name) @owner) (parens type: (_ constructor: (name) @owner))])) @container
(instance) @container
(foreign_import signature: (signature name: (_) @name)) @definition.function

; What stands in quotes uses no name.
[(string) (char)] @literal
