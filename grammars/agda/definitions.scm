(comment) @comment
(source_file (module (module_name) @package))
(import (module_name) @import)

(data (data_name) @name) @definition.type
(record (record_name) @name) @definition.struct
(record_constructor (id) @name) @definition.constant
(signature (field_name) @name) @definition.field
; A type signature stands before the equations; what follows `where` is local.
(source_file (function (lhs (function_name) @name)) @definition.function)
(data (function (lhs (function_name) @name)) @definition.constant)
(source_file (postulate (function (lhs (function_name) @name)) @definition.function))

; What stands in quotes uses no name.
(literal) @literal
