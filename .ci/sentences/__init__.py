"""The rules for sentences, the texts that they are for, and examples of both. For `.ci/prose`."""
