"""`Pack` + context -> `Prompt`, by `rendering.render`: messages, slots, composer, history, budgets."""
