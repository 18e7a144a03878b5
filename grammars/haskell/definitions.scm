; A function is one definition: its signature and the equations that follow, or its first equation.
(comment) @comment
(haddock) @comment
(header module: (_) @package)
(import module: (_) @import)

(declarations
  (signature name: (_) @name) @definition.function
  .
  [(function) (bind)] @definition.function @body
  .
  [(function) (bind)]* @definition.function)
(declarations (signature name: (_) @name) @definition.function)
(declarations (signature names: (binding_list name: (_) @name)) @definition.function)
(declarations . [(function name: (_) @name) (bind name: (_) @name)] @definition.function)
(declarations
  (_ name: (_) @_before)
  .
  [(function name: (_) @name) (bind name: (_) @name)] @definition.function
  (#not-eq? @_before @name))
(declarations
  [(comment) (haddock) (pragma) (top_splice) (instance)]
  .
  [(function name: (_) @name) (bind name: (_) @name)] @definition.function)

(data_type name: (_) @name constructors: (_)? @body) @definition.type
(newtype name: (_) @name constructor: (_)? @body) @definition.type
(type_synomym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(data_constructor (_ name: (_) @name)) @definition.constant
(gadt_constructor name: (_) @name) @definition.constant
(newtype_constructor name: (_) @name) @definition.constant
(field name: (field_name (variable) @name)) @definition.field

(class name: (_) @name declarations: (_)? @body) @definition.class
(class_declarations (signature name: (_) @name) @definition.method)
(class_declarations (signature names: (binding_list name: (_) @name)) @definition.method)

; `instance Show T`: its methods belong to T.
(instance
  patterns: (type_patterns . [(name) @owner (parens type: (name) @owner) (parens type: (apply constructor: (name) @owner))])
  declarations: (instance_declarations . (_ name: (variable) @name) @definition.method))
(instance
  patterns: (type_patterns . [(name) @owner (parens type: (name) @owner) (parens type: (apply constructor: (name) @owner))])
  declarations: (instance_declarations
    (_ name: (_) @_before)
    .
    (_ name: (variable) @name) @definition.method)
  (#not-eq? @_before @name))
(instance) @container
(foreign_import signature: (signature name: (_) @name)) @definition.function
