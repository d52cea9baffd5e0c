"""The demo of `promptpack run`: given values and replies for the shipped flow, and a tool that really runs."""
