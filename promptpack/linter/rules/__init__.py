"""The lint rules, one module each: the docstring is the page of the rule, `check` finds the problems of one pack."""
