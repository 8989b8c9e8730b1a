@ascend_kernel
def softmax_rows_shared(g_x, x_max_parts, exp_sum_parts, g_y, parts: int, per_core: int, d1: int, tile: int):
    """Few rows: several cores share a row, keep their parts in UB and exchange partial results.

    step1 = exp(x - max(x, axes [1]))
    y = step1 / sum(step1, axes [1])
    """
    x_max = alloc_ub(8, float32)
    x_tile = alloc_ub(tile, float32)
    tile_max = alloc_ub(8, float32)
    all_parts = alloc_ub((64, 1), float32)
    exp_sum = alloc_ub(8, float32)
    t0 = alloc_ub(tile, float32)
    tile_sum = alloc_ub(8, float32)
    t1 = alloc_ub(tile, float32)
    item = program_id() // parts
    first = program_id() % parts * per_core
    last = min(first + per_core, d1)
    j = first
    m = last - first
    with compute():
        fill(x_max, -1e999, 1)
    with copyin():
        load(x_tile, g_x, item * d1 + j, m)
    with compute():
        reduce_max(tile_max, x_tile)
        maximum(x_max, x_max, tile_max)
    with copyout():
        store(x_max_parts, program_id() * 8, x_max)
    sync_all()
    with copyin():
        load(all_parts, x_max_parts, item * parts * 8, (parts, 1), stride=8)
    with compute():
        reduce_max(x_max, all_parts, axis=None)
        x_max_value = x_max[0]
        fill(exp_sum, 0.0, 1)
    with compute():
        sub(t0, x_tile, x_max_value)
        exp(t0, t0)
        reduce_sum(tile_sum, t0)
        add(exp_sum, exp_sum, tile_sum)
    with copyout():
        store(exp_sum_parts, program_id() * 8, exp_sum)
    sync_all()
    with copyin():
        load(all_parts, exp_sum_parts, item * parts * 8, (parts, 1), stride=8)
    with compute():
        reduce_sum(exp_sum, all_parts, axis=None)
        exp_sum_value = exp_sum[0]
    with compute():
        div(t1, t0, exp_sum_value)
    with copyout():
        store(g_y, item * d1 + j, t1)

@ascend_kernel
def softmax_rows_split(g_x, x_max_parts, exp_sum_parts, g_y, parts: int, per_core: int, d1: int, tile: int):
    """Few long rows: several cores share a row and exchange partial results.

    step1 = exp(x - max(x, axes [1]))
    y = step1 / sum(step1, axes [1])
    """
    x_max = alloc_ub(8, float32)
    x_tile = alloc_ub(tile, float32)
    tile_max = alloc_ub(8, float32)
    all_parts = alloc_ub((64, 1), float32)
    exp_sum = alloc_ub(8, float32)
    tile_sum = alloc_ub(8, float32)
    item = program_id() // parts
    first = program_id() % parts * per_core
    last = min(first + per_core, d1)
    with compute():
        fill(x_max, -1e999, 1)
    for j in range(first, last, tile):
        m = min(tile, last - j)
        with copyin():
            load(x_tile, g_x, item * d1 + j, m)
        with compute():
            reduce_max(tile_max, x_tile)
            maximum(x_max, x_max, tile_max)
    with copyout():
        store(x_max_parts, program_id() * 8, x_max)
    sync_all()
    with copyin():
        load(all_parts, x_max_parts, item * parts * 8, (parts, 1), stride=8)
    with compute():
        reduce_max(x_max, all_parts, axis=None)
        x_max_value = x_max[0]
        fill(exp_sum, 0.0, 1)
    for j in range(first, last, tile):
        m = min(tile, last - j)
        with copyin():
            load(x_tile, g_x, item * d1 + j, m)
        with compute():
            sub(x_tile, x_tile, x_max_value)
            exp(x_tile, x_tile)
            reduce_sum(tile_sum, x_tile)
            add(exp_sum, exp_sum, tile_sum)
    with copyout():
        store(exp_sum_parts, program_id() * 8, exp_sum)
    sync_all()
    with copyin():
        load(all_parts, exp_sum_parts, item * parts * 8, (parts, 1), stride=8)
    with compute():
        reduce_sum(exp_sum, all_parts, axis=None)
        exp_sum_value = exp_sum[0]
    for j in range(first, last, tile):
        m = min(tile, last - j)
        with copyin():
            load(x_tile, g_x, item * d1 + j, m)
        with compute():
            sub(x_tile, x_tile, x_max_value)
            exp(x_tile, x_tile)
            div(x_tile, x_tile, exp_sum_value)
        with copyout():
            store(g_y, item * d1 + j, x_tile)

@ascend_kernel
def softmax_rows_rows(g_x, g_y, d1: int, d0: int, per_core: int, row_tile: int):
    """Whole rows in UB, several per tile; rows are cut over the cores.

    step1 = exp(x - max(x, axes [1]))
    y = step1 / sum(step1, axes [1])
    """
    x_tile = alloc_ub((row_tile, d1), float32)
    per_row0 = alloc_ub(row_tile, float32)
    per_row1 = alloc_ub(row_tile, float32)
    first = program_id() * per_core
    last = min(first + per_core, d0)
    for r in range(first, last, row_tile):
        n = min(row_tile, last - r)
        with copyin():
            load(x_tile, g_x, r * d1, (n, d1))
        with compute():
            reduce_max(per_row0, x_tile)
            sub(x_tile, x_tile, per_row0[:, None])
            exp(x_tile, x_tile)
            reduce_sum(per_row0, x_tile)
            reciprocal(per_row1, per_row0)
            mul(x_tile, x_tile, per_row1[:, None])
        with copyout():
            store(g_y, r * d1, x_tile)

@ascend_kernel
def softmax_rows_items(g_x, g_y, d0: int, per_core: int, tile: int, d1: int):
    """One item after the other per core, one pass per reduction.

    step1 = exp(x - max(x, axes [1]))
    y = step1 / sum(step1, axes [1])
    """
    x_max = alloc_ub(8, float32)
    x_tile = alloc_ub(tile, float32)
    tile_max = alloc_ub(8, float32)
    exp_sum = alloc_ub(8, float32)
    tile_sum = alloc_ub(8, float32)
    first = program_id() * per_core
    last = min(first + per_core, d0)
    for item in range(first, last):
        with compute():
            fill(x_max, -1e999, 1)
        for j in range(0, d1, tile):
            m = min(tile, d1 - j)
            with copyin():
                load(x_tile, g_x, item * d1 + j, m)
            with compute():
                reduce_max(tile_max, x_tile)
                maximum(x_max, x_max, tile_max)
        with compute():
            x_max_value = x_max[0]
            fill(exp_sum, 0.0, 1)
        for j in range(0, d1, tile):
            m = min(tile, d1 - j)
            with copyin():
                load(x_tile, g_x, item * d1 + j, m)
            with compute():
                sub(x_tile, x_tile, x_max_value)
                exp(x_tile, x_tile)
                reduce_sum(tile_sum, x_tile)
                add(exp_sum, exp_sum, tile_sum)
        with compute():
            exp_sum_value = exp_sum[0]
        for j in range(0, d1, tile):
            m = min(tile, d1 - j)
            with copyin():
                load(x_tile, g_x, item * d1 + j, m)
            with compute():
                sub(x_tile, x_tile, x_max_value)
                exp(x_tile, x_tile)
                div(x_tile, x_tile, exp_sum_value)
            with copyout():
                store(g_y, item * d1 + j, x_tile)

@ascend_host
def softmax_rows(x: Tensor, y: Output):
    """Softmax over the last axis: each row is shifted by its maximum, exponentiated and divided by its sum."""
    declare(y, x.shape, x.dtype)
    d0 = prod(x.shape[:-1])
    d1 = x.shape[-1]
    assert x.numel == d0 * d1, "x does not have the expected size"
    own_cycles = d0 * align_up(d1, 64) * 16 // 64
    own_busy = max(1, min(core_num(), int(sqrt(own_cycles // 470))))
    cores = max(1, min(core_num(), d0 * max(1, min(own_busy // d0, d1 // 2048))))
    parts = max(1, cores // d0)
    per_core = align_up(ceil_div(d1, parts), 64)
    parts = ceil_div(d1, per_core)
    cores = d0 * parts
    tile = min(fit_tile(softmax_rows_shared, "tile"), per_core)
    x_max_parts = workspace((core_num() + 1) * 8, float32)
    exp_sum_parts = workspace((core_num() + 1) * 8, float32)
    if parts >= 2 and tile >= per_core:
        softmax_rows_shared[cores](x, x_max_parts, exp_sum_parts, y, parts, per_core, d1, tile)
    else:
        own_cycles = d0 * align_up(d1, 64) * 16 // 64
        own_busy = max(1, min(core_num(), int(sqrt(own_cycles // 470))))
        cores = max(1, min(core_num(), d0 * max(1, min(own_busy // d0, d1 // 2048))))
        parts = max(1, cores // d0)
        per_core = align_up(ceil_div(d1, parts), 64)
        tile = min(fit_tile(softmax_rows_split, "tile"), min(8192, align_up(ceil_div(per_core, min(4, ceil_div(per_core + 3072, 4096))), 64)))
        x_max_parts = workspace((core_num() + 1) * 8, float32)
        exp_sum_parts = workspace((core_num() + 1) * 8, float32)
        if parts >= 2:
            softmax_rows_split[cores](x, x_max_parts, exp_sum_parts, y, parts, per_core, d1, tile)
        else:
            one_core_cycles = d0 * align_up(d1, 64) * 16 // 64
            wanted = max(1, d0)
            busy = max(1, min(core_num(), int(sqrt(one_core_cycles // 470))))
            turns = max(1, ceil_div(wanted, core_num()), (wanted + busy // 2) // busy)
            cores = ceil_div(wanted, turns)
            per_core = ceil_div(d0, cores)
            row_tile = min(fit_tile(softmax_rows_rows, "row_tile", d1=d1), max(1, ceil_div(per_core, min(4, ceil_div(per_core * d1 + 3072, 4096)))), d0)
            if row_tile >= 1:
                softmax_rows_rows[cores](x, y, d1, d0, per_core, row_tile)
            else:
                one_core_cycles = d0 * align_up(d1, 64) * 16 // 64 + d0 * 2000
                wanted = max(1, d0)
                busy = max(1, min(core_num(), int(sqrt(one_core_cycles // 470))))
                turns = max(1, ceil_div(wanted, core_num()), (wanted + busy // 2) // busy)
                cores = ceil_div(wanted, turns)
                per_core = ceil_div(d0, cores)
                tile = min(fit_tile(softmax_rows_items, "tile"), align_up(d1, 64))
                softmax_rows_items[cores](x, y, d0, per_core, tile, d1)
