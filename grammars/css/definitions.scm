; Classes and ids that a rule is for; custom properties of the page, animations.
[(comment) (js_comment)] @comment
(import_statement [(string_value) @import (call_expression (arguments (_) @import))])

(keyframes_statement (keyframes_name) @name (_) @body) @definition.constant
(rule_set
  (selectors
    [
      (class_selector (class_name) @name)
      (id_selector (id_name) @name)
      (_ [(class_selector (class_name) @name) (id_selector (id_name) @name)])
      (_ (_ [(class_selector (class_name) @name) (id_selector (id_name) @name)]))
      (_ (_ (_ [(class_selector (class_name) @name) (id_selector (id_name) @name)])))
    ])
  (block) @body) @definition.selector
(declaration (property_name) @name (#match? @name "^--")) @definition.variable
[(media_statement) (supports_statement) (at_rule)] @container
