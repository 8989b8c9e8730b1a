@ascend_kernel
def k(a, b, c, d, o1, o2, o3, n: int, tile: int):
    x = alloc_ub(tile, float32)
    y = alloc_ub(tile, float32)
    z = alloc_ub(tile, float32)
    w = alloc_ub(tile, int32)
    q = alloc_ub(tile, float32)
    f = alloc_ub(tile, float32)
    mm = alloc_ub(tile, mask)
    for i in range(program_id() * tile, n, num_programs() * tile):
        m = min(tile, n - i)
        with copyin():
            load(x, a, i, m)
            load(y, b, i, m)
            load(z, c, i, m)
            load(w, d, i, m)
        with compute():
            add(w, w, 7)
            cast(q, w)
            add(q, q, x)
            add(q, q, y)
            lt(mm, q, z)
            cast(f, mm)
        with copyout():
            store(o1, i, f)
            store(o2, i, q)
            store(o3, i, w)

@ascend_host
def mixed_types(a: Tensor, b: Tensor, c: Tensor, d: Tensor, o1: Output, o2: Output, o3: Output):
    """Bools, bytes and integers meet floats."""
    n = a.numel
    t = min(fit_tile(k, "tile"), 640)
    k[min(core_num(), ceil_div(n, t))](a, b, c, d, o1, o2, o3, n, t)
