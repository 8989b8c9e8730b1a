"""The host side of an operator: build op_host, ask what it registered, tile a call, check it."""
