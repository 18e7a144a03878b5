(comment) @comment
(call
  method: (identifier) @_require
  arguments: (_ . (string (string_content) @import) .)
  (#any-of? @_require "require" "require_relative" "require_dependency" "autoload"))

(module name: [(constant) @name (scope_resolution name: (_) @name)] body: (_)? @body) @definition.module
(class name: [(constant) @name (scope_resolution name: (_) @name)] body: (_)? @body) @definition.class
(singleton_class) @container

(method name: (_) @name body: (_)? @body) @definition.method
(singleton_method name: (_) @name body: (_)? @body) @definition.method
(alias name: (_) @name) @definition.method

; `Point = Struct.new(:x) do … end` is a class, any other constant a constant.
(assignment
  left: (constant) @name
  right: (_
    receiver: (constant) @_maker
    method: (identifier) @_new
    block: (_) @body)
  (#any-of? @_maker "Struct" "Class" "Data" "Module")) @definition.class
(assignment
  left: [(constant) @name (scope_resolution name: (constant) @name)]) @definition.constant

; Words of a class body that define methods.
(call
  !receiver
  method: (identifier) @_word
  arguments: (_ [(simple_symbol) (string)] @name)
  (#any-of? @_word
    "attr_reader" "attr_writer" "attr_accessor" "attr" "cattr_accessor" "cattr_reader" "mattr_accessor"
    "mattr_reader" "mattr_writer" "cattr_writer" "class_attribute" "thread_mattr_accessor" "delegate"
    "attr_internal" "attr_internal_reader" "attr_internal_writer" "attr_internal_accessor" "def_delegators")) @definition.property
(call
  !receiver
  method: (identifier) @_word
  arguments: (_ . (simple_symbol) @name)
  (#any-of? @_word
    "scope" "has_many" "has_one" "belongs_to" "has_and_belongs_to_many" "alias_method" "define_method" "enum"
    "define_model_callbacks" "has_one_attached" "has_many_attached" "attribute" "helper_method" "memoize"
    "alias_attribute" "store_accessor" "def_delegator" "task" "let" "factory" "config_accessor")) @definition.method

; Blocks that hold code: `describe "…" do`, `namespace :db do`, `class_methods do`.
(call !receiver arguments: (_ . [(string) (constant) (scope_resolution) (simple_symbol)]) block: (do_block)) @container
(program (_ block: (do_block)) @container)
(body_statement (_ !receiver !arguments block: (do_block)) @container)

; What stands in quotes uses no name.
[(string_content) (heredoc_content)] @literal

; Scopes, and the names bound in them.
[(method) (singleton_method) (block) (do_block) (lambda)] @block
[
  (assignment left: (identifier) @local)
  (operator_assignment left: (identifier) @local)
  (left_assignment_list (identifier) @local)
  (method_parameters (identifier) @local)
  (block_parameters (identifier) @local)
  (lambda_parameters (identifier) @local)
  (destructured_parameter (identifier) @local)
  (optional_parameter name: (identifier) @local)
  (keyword_parameter name: (identifier) @local)
  (splat_parameter name: (identifier) @local)
  (hash_splat_parameter name: (identifier) @local)
  (block_parameter name: (identifier) @local)
  (for pattern: (identifier) @local)
  (exception_variable (identifier) @local)
  (array_pattern (identifier) @local)
  (as_pattern name: (identifier) @local)
]
(pair key: (hash_key_symbol) @label value: (_))
(keyword_pattern key: (hash_key_symbol) @label)
