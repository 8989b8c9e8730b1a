"""Read which types words tell of inputs, of results and of the arithmetic between them."""
