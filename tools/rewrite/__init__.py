"""Changes of structure in anybody's Ascend C kernel: read with tree-sitter, written as text, judged elsewhere."""
