"""`Pack` + context -> `Prompt`: messages, slots, composer, history, budgets."""
