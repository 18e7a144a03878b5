[(line_comment) (block_comment) (comment_environment)] @comment
(latex_include path: (curly_group_path path: (_) @import))
(package_include paths: (curly_group_path_list path: (_) @import))
(class_include path: (curly_group_path path: (_) @import))

(part text: (curly_group (_) @name) . (_)? @body) @definition.section
(chapter text: (curly_group (_) @name) . (_)? @body) @definition.section
(section text: (curly_group (_) @name) . (_)? @body) @definition.section
(subsection text: (curly_group (_) @name) . (_)? @body) @definition.section
(subsubsection text: (curly_group (_) @name) . (_)? @body) @definition.section
(paragraph text: (curly_group (_) @name) . (_)? @body) @definition.section

(new_command_definition
  declaration: (curly_group_command_name command: (_) @name)
  implementation: (_) @body) @definition.macro
(old_command_definition declaration: (command_name) @name) @definition.macro
(environment_definition name: (curly_group_text text: (_) @name) begin: (_) @body) @definition.macro
(theorem_definition name: (curly_group_text text: (_) @name)) @definition.macro
