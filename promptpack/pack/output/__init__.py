"""The language of `output`: types written as data, their checks, and the JSON Schema they stand for."""
