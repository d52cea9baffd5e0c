"""The rules, one module each: the docstring is the rule's page, `check` looks at one pack."""
