@ascend_kernel
def mean_all_flat(g_x, x_sum_parts, g_y, d0: int, tile: int, per_core: int, f0: float):
    """One flat axis, cut over the cores, then into tiles.

    y = sum(x, axes [0]) * (1.0 / float(d0))
    """
    x_sum = alloc_ub(8, float32)
    x_tile = alloc_ub(tile, float32)
    tile_sum = alloc_ub(8, float32)
    all_parts = alloc_ub((64, 1), float32)
    x_mean = alloc_ub(8, float32)
    first = program_id() * per_core
    last = min(first + per_core, d0)
    with compute():
        fill(x_sum, 0.0, 1)
    for i in range(first, last, tile):
        m = min(tile, last - i)
        with copyin():
            load(x_tile, g_x, i, m)
        with compute():
            reduce_sum(tile_sum, x_tile)
            add(x_sum, x_sum, tile_sum)
    with copyout():
        store(x_sum_parts, program_id() * 8, x_sum)
    sync_all()
    with copyin():
        load(all_parts, x_sum_parts, 0, (num_programs(), 1), stride=8)
    with compute():
        reduce_sum(x_sum, all_parts, axis=None)
    if program_id() == 0:
        with compute():
            mul(x_mean, x_sum, f0)
        with copyout():
            store(g_y, 0, x_mean)

@ascend_host
def mean_all(x: Tensor, y: Output):
    """Mean of all elements, one number."""
    declare(y, (), x.dtype)
    d0 = x.numel
    one_core_cycles = align_up(d0, 64) * 8 // 64
    wanted = max(1, ceil_div(d0, 512))
    busy = max(1, min(core_num(), int(sqrt(one_core_cycles // 470))))
    turns = max(1, ceil_div(wanted, core_num()), (wanted + busy // 2) // busy)
    cores = ceil_div(wanted, turns)
    per_core = align_up(ceil_div(d0, cores), 64)
    tile = min(fit_tile(mean_all_flat, "tile"), min(8192, align_up(ceil_div(per_core, min(4, ceil_div(per_core + 3072, 4096))), 64)))
    x_sum_parts = workspace((core_num() + 1) * 8, float32)
    mean_all_flat[cores](x, x_sum_parts, y, d0, tile, per_core, 1.0 / float(d0))
