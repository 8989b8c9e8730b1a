@ascend_kernel
def add_row_bias_rows(g_bias, g_x, g_y, d1: int, d0: int, per_core: int, row_tile: int):
    """Whole rows in UB, several per tile; rows are cut over the cores.

    y = x + bias
    """
    bias_tile = alloc_ub(d1, native(g_x.dtype))
    x_tile = alloc_ub((row_tile, d1), native(g_x.dtype))
    first = program_id() * per_core
    last = min(first + per_core, d0)
    with copyin():
        load(bias_tile, g_bias, 0, d1)
    for r in range(first, last, row_tile):
        n = min(row_tile, last - r)
        with copyin():
            load(x_tile, g_x, r * d1, (n, d1))
        with compute():
            add(x_tile, x_tile, bias_tile[None, :])
        with copyout():
            store(g_y, r * d1, x_tile)

@ascend_kernel
def add_row_bias_tiles(g_bias, g_x, g_y, d1: int, lane_tile: int, d0: int, column_parts: int, columns: int, per_core: int, row_tile: int):
    """Rows and columns are cut into tiles.

    y = x + bias
    """
    bias_tile = alloc_ub(lane_tile, native(g_x.dtype))
    x_tile = alloc_ub((row_tile, lane_tile), native(g_x.dtype))
    first = program_id() // column_parts * per_core
    last = min(first + per_core, d0)
    left = program_id() % column_parts * columns
    for j in range(left, min(left + columns, d1), lane_tile):
        m = min(lane_tile, min(left + columns, d1) - j)
        with copyin():
            load(bias_tile, g_bias, j, m)
        for r in range(first, last, row_tile):
            n = min(row_tile, last - r)
            with copyin():
                load(x_tile, g_x, r * d1 + j, (n, m), stride=d1)
            with compute():
                add(x_tile, x_tile, bias_tile[None, :])
            with copyout():
                store(g_y, r * d1 + j, x_tile, stride=d1)

@ascend_host
def add_row_bias(x: Tensor, bias: Tensor, y: Output):
    """One bias vector added to every row of a matrix."""
    declare(y, x.shape, x.dtype)
    d0 = prod(x.shape[:-1])
    d1 = x.shape[-1]
    assert x.numel == d0 * d1, "x does not have the expected size"
    assert bias.numel == d1, "bias does not have the expected size"
    one_core_cycles = d0 * align_up(d1, 64) * 9 // 64
    wanted = max(1, d0)
    busy = max(1, min(core_num(), int(sqrt(one_core_cycles // 470))))
    turns = max(1, ceil_div(wanted, core_num()), (wanted + busy // 2) // busy)
    cores = ceil_div(wanted, turns)
    per_core = ceil_div(d0, cores)
    row_tile = min(fit_tile(add_row_bias_rows, "row_tile", d1=d1), max(1, ceil_div(per_core, min(4, ceil_div(per_core * d1 + 3072, 4096)))), d0)
    if row_tile >= 1 and (d0 * 2 > core_num() or d1 < 1024) and (d0 >= core_num() or d1 // 512 < core_num()):
        add_row_bias_rows[cores](bias, x, y, d1, d0, per_core, row_tile)
    else:
        own_cycles = d0 * align_up(d1, 64) * 9 // 64
        own_busy = max(1, min(core_num(), int(sqrt(own_cycles // 470))))
        column_parts = max(1, min(own_busy // d0, d1 // 512))
        if d0 < own_busy and d1 // 512 >= own_busy:
            column_parts = own_busy
        one_core_cycles = d0 * align_up(d1, 64) * 9 // 64
        wanted = max(1, d0 * column_parts)
        busy = max(1, min(core_num(), int(sqrt(one_core_cycles // 470))))
        turns = max(1, ceil_div(wanted, core_num()), (wanted + busy // 2) // busy)
        cores = ceil_div(wanted, turns)
        column_parts = min(column_parts, cores)
        columns = align_up(ceil_div(d1, column_parts), 64)
        lane_tile = min(2048, columns)
        per_core = ceil_div(d0, max(1, cores // column_parts))
        row_tile = min(fit_tile(add_row_bias_tiles, "row_tile", lane_tile=lane_tile), max(1, ceil_div(per_core, min(4, ceil_div(per_core * d1 + 3072, 4096)))), d0)
        add_row_bias_tiles[cores](bias, x, y, d1, lane_tile, d0, column_parts, columns, per_core, row_tile)
