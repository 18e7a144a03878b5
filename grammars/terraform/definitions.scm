; A block is named by its last label and owned by the one before: `aws_s3_bucket.logs`.
(comment) @comment
(block
  . (identifier) @_module
  (body
    (attribute
      (identifier) @_source
      (expression (literal_value (string_lit (template_literal) @import)))))
  (#eq? @_module "module")
  (#eq? @_source "source"))

(block
  . (identifier) @_kind
  . (string_lit (template_literal) @name)
  . (block_start) @body
  (#eq? @_kind "variable")) @definition.variable
(block
  . (identifier) @_kind
  . (string_lit (template_literal) @name)
  . (block_start) @body
  (#eq? @_kind "output")) @definition.property
(block
  . (identifier) @_kind
  . (string_lit (template_literal) @name)
  . (block_start) @body
  (#eq? @_kind "module")) @definition.module
(block
  . (identifier)
  . (string_lit (template_literal) @owner)
  . (string_lit (template_literal) @name)
  . (block_start) @body) @definition.resource
(block
  . (identifier) @_kind
  . (string_lit (template_literal) @name)
  . (block_start) @body
  (#not-any-of? @_kind "dynamic" "provisioner" "backend")) @definition.resource

(block
  . (identifier) @_kind
  (body (attribute . (identifier) @name) @definition.constant)
  (#eq? @_kind "locals"))
(config_file (body (attribute . (identifier) @name) @definition.variable))
