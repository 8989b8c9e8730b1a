"""What a candidate may choose where a reference leaves it open: places among equal elements."""
