"""Projects of the direct form, judged as any other: one file with kernels and the host function that launches them."""
