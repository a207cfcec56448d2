"""The rules for sentences, the texts to which they apply, and examples of both, for `.ci/prose`."""
