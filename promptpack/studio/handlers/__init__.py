"""The answers to the messages of a page; `catalogue.py` lists them."""
