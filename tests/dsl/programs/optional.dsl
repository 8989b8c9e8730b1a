@ascend_kernel
def plain(x, out, n: int, tile: int):
    t = alloc_ub(tile, float32)
    for i in range(program_id() * tile, n, num_programs() * tile):
        m = min(tile, n - i)
        with copyin():
            load(t, x, i, m)
        with copyout():
            store(out, i, t)

@ascend_kernel
def biased(x, b, out, n: int, tile: int):
    t = alloc_ub(tile, float32)
    q = alloc_ub(tile, float32)
    u = read(b, 1)
    for i in range(program_id() * tile, n, num_programs() * tile):
        m = min(tile, n - i)
        with copyin():
            load(t, x, i, m)
        with compute():
            add(q, t, u)
            if i == 0:
                mul(q, q, 2.0)
            else:
                for j in range(2):
                    add(q, q, t)
        with copyout():
            store(out, i, q)

@ascend_host
def optional(x: Tensor, b: OptionalTensor, out: Output):
    """With and without an optional input, on two tiling keys."""
    declare(out, x.shape, x.dtype)
    n = x.numel
    if b.present:
        t = min(fit_tile(biased, "tile"), 640)
        biased[min(core_num(), ceil_div(n, t))](x, b, out, n, t)
    else:
        t = min(fit_tile(plain, "tile"), 640)
        plain[min(core_num(), ceil_div(n, t))](x, out, n, t)
