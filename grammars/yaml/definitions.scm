; Keys at the top, and those below them that hold something: a workflow's jobs, a compose file's services.
(comment) @comment

; Kubernetes: what `metadata` names, of the `kind` above it.
(document
  (block_node
    (block_mapping
      (block_mapping_pair key: (_) @_kind value: (_) @owner)
      .
      (block_mapping_pair
        key: (_) @_metadata
        value: (block_node
          (block_mapping (block_mapping_pair key: (_) @_name value: (_) @name)) @body))) @definition.resource)
  (#eq? @_kind "kind")
  (#eq? @_metadata "metadata")
  (#eq? @_name "name"))

(document (block_node (block_mapping (block_mapping_pair key: (_) @name value: (block_node)? @body) @definition.key)))
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        key: (_) @owner
        value: (block_node
          (block_mapping (block_mapping_pair key: (_) @name value: (block_node) @body) @definition.key))))))
