"""Templates that tell where each piece of their text comes from; only explanations compile them."""
