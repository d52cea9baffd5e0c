"""Templates that record the origin of each piece of their text; only explanations compile them."""
