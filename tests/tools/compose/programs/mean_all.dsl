@ascend_kernel
def mean_all_flat(g_x, ws0, g_y, d0: int, tile: int, per_core: int, f0: float):
    """One flat axis, cut over the cores, then into tiles.

    y = sum(x, axes [0]) * (1.0 / float(d0))
    """
    s0 = alloc_ub(8, float32)
    x_t0 = alloc_ub(tile, float32)
    s1 = alloc_ub(8, float32)
    x_p0 = alloc_ub((64, 1), float32)
    first = program_id() * per_core
    last = min(first + per_core, d0)
    with compute():
        fill(s0, 0.0, 1)
    for i in range(first, last, tile):
        m = min(tile, last - i)
        with copyin():
            load(x_t0, g_x, i, m)
        with compute():
            reduce_sum(s1, x_t0)
            add(s0, s0, s1)
    with copyout():
        store(ws0, program_id() * 8, s0)
    sync_all()
    with copyin():
        load(x_p0, ws0, 0, (num_programs(), 1), stride=8)
    with compute():
        reduce_sum(s0, x_p0, axis=None)
    if program_id() == 0:
        with compute():
            mul(s1, s0, f0)
        with copyout():
            store(g_y, 0, s1)

@ascend_host
def mean_all(x: Tensor, y: Output):
    """Mean of all elements, one number."""
    declare(y, (), x.dtype)
    d0 = x.numel
    cores = max(1, min(core_num(), ceil_div(d0, 2048)))
    per_core = align_up(ceil_div(d0, cores), 64)
    tile = min(fit_tile(mean_all_flat, "tile"), max(1024, align_up(ceil_div(per_core, 4), 64)))
    ws0 = workspace((core_num() + 1) * 8, float32)
    mean_all_flat[cores](x, ws0, y, d0, tile, per_core, 1.0 / float(d0))
