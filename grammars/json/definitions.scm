; Keys at the top, those below them that hold an object, and a package's scripts.
(comment) @comment
(document (object (pair key: (string (string_content) @name) value: (object)? @body) @definition.key))
(document
  (object
    (pair
      key: (string (string_content) @owner)
      value: (object (pair key: (string (string_content) @name) value: (object) @body) @definition.key))))
(document
  (object
    (pair
      key: (string (string_content) @owner)
      value: (object (pair key: (string (string_content) @name) value: (string)) @definition.key)))
  (#eq? @owner "scripts"))
