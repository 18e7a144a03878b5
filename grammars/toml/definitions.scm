(comment) @comment
(table . (_) @name . (_)? @body) @definition.key
(table_array_element . (_) @name . (_)? @body) @definition.key
(document (pair . (_) @name) @definition.key)
