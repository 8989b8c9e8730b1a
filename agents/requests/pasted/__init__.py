"""Code that a person pastes, or writes among words: what its tensors are, statements by index as PyTorch."""
