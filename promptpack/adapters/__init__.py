"""The arguments and responses of other SDKs, one module each; nothing here imports an SDK before it is used."""
