"""Programs and bindings that launch kernels themselves, `kernel<<<blocks, l2, stream>>>(arguments)`, on the twin."""
