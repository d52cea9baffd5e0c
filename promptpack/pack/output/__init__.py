"""The `output` of a pack: types written as data, their validation and their JSON Schema."""
