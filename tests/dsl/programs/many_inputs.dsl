@ascend_kernel
def k(p, q, r, s, t, out, n: int, tile: int):
    a = alloc_ub(tile, float32)
    b = alloc_ub(tile, float32)
    c = alloc_ub(tile, float32)
    d = alloc_ub(tile, float32)
    e = alloc_ub(tile, float32)
    for i in range(program_id() * tile, n, num_programs() * tile):
        m = min(tile, n - i)
        with copyin():
            load(a, p, i, m)
            load(b, q, i, m)
            load(c, r, i, m)
            load(d, s, i, m)
            load(e, t, i, m)
        with compute():
            add(a, a, b)
            mul(c, c, d)
            sub(a, a, c)
            mul(a, a, e)
        with copyout():
            store(out, i, a)

@ascend_host
def many_inputs(p: Tensor, q: Tensor, r: Tensor, s: Tensor, t: Tensor, out: Output):
    """Five streams in: more than four cannot all be double buffered."""
    declare(out, p.shape, p.dtype)
    n = p.numel
    tile = min(fit_tile(k, "tile"), 512)
    k[max(1, min(core_num(), ceil_div(n, tile * 3)))](p, q, r, s, t, out, n, tile)
