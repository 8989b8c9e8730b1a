"""The reference side of the judge: a PyTorch process that makes inputs and expected outputs."""
