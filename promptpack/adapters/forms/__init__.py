"""Forms of messages that several targets share."""
