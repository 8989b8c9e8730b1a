@ascend_kernel
def relu_flat(g_x, g_y, d0: int, tile: int, per_core: int):
    """One flat axis, cut over the cores, then into tiles.

    y = relu(x)
    """
    x_tile = alloc_ub(tile, native(g_x.dtype))
    first = program_id() * per_core
    last = min(first + per_core, d0)
    for i in range(first, last, tile):
        m = min(tile, last - i)
        with copyin():
            load(x_tile, g_x, i, m)
        with compute():
            relu(x_tile, x_tile)
        with copyout():
            store(g_y, i, x_tile)

@ascend_host
def relu(x: Tensor, y: Output):
    """Rectified linear unit: negative elements become zero."""
    declare(y, x.shape, x.dtype)
    d0 = x.numel
    one_core_cycles = align_up(d0, 64) * 9 // 64
    wanted = max(1, ceil_div(d0, 512))
    busy = max(1, min(core_num(), int(sqrt(one_core_cycles // 470))))
    turns = max(1, ceil_div(wanted, core_num()), (wanted + busy // 2) // busy)
    cores = ceil_div(wanted, turns)
    per_core = align_up(ceil_div(d0, cores), 64)
    tile = min(fit_tile(relu_flat, "tile"), min(8192, align_up(ceil_div(per_core, min(4, ceil_div(per_core + 3072, 4096))), 64)))
    relu_flat[cores](x, y, d0, tile, per_core)
