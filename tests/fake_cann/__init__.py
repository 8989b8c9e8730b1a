"""A CANN of our own: programs and libraries as documented, which execute kernels on the twin. No hardware, ever."""
