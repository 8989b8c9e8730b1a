@ascend_kernel
def mean_kernel(x, ws, out, n: int, per_core: int, tile: int, inv: float):
    t = alloc_ub(tile, float32)
    acc = alloc_ub(tile, float32)
    s = alloc_ub(8, float32)
    p = alloc_ub((64, 1), float32)
    first = program_id() * per_core
    last = min(first + per_core, n)
    with compute():
        fill(acc, 0.0)
    for i in range(first, last, tile):
        m = min(tile, last - i)
        with copyin():
            load(t, x, i, m)
        with compute():
            add(acc, acc, t)
    with compute():
        reduce_sum(s, acc)
    with copyout():
        store(ws, program_id() * 8, s)
    sync_all()
    if program_id() == 0:
        with copyin():
            load(p, ws, 0, (num_programs(), 1), stride=8)
        with compute():
            reduce_sum(s, p, axis=None)
            mul(s, s, inv)
        with copyout():
            store(out, 0, s)

@ascend_host
def mean(x: Tensor, out: Output):
    """Mean of everything."""
    declare(out, (1,), x.dtype)
    n = x.numel
    cores = max(1, min(core_num(), ceil_div(n, 2048)))
    per_core = align_up(ceil_div(n, cores), 64)
    cores = ceil_div(n, per_core)
    tile = min(fit_tile(mean_kernel, "tile"), per_core)
    ws = workspace(cores * 8, float32)
    mean_kernel[cores](x, ws, out, n, per_core, tile, 1.0 / float(n))
