@ascend_kernel
def softmax_rows_split(g_x, ws0, ws1, g_y, parts: int, per_core: int, d1: int, tile: int):
    """Few long rows: several cores share a row and exchange partial results.

    t0 = exp(x - max(x, axes [1]))
    y = t0 / sum(t0, axes [1])
    """
    s0 = alloc_ub(8, float32)
    x_t0 = alloc_ub(tile, float32)
    s1 = alloc_ub(8, float32)
    x_p0 = alloc_ub((64, 1), float32)
    s2 = alloc_ub(8, float32)
    item = program_id() // parts
    first = program_id() % parts * per_core
    last = min(first + per_core, d1)
    with compute():
        fill(s0, -3.4028234663852886e+38, 1)
    for j in range(first, last, tile):
        m = min(tile, last - j)
        with copyin():
            load(x_t0, g_x, item * d1 + j, m)
        with compute():
            reduce_max(s1, x_t0)
            maximum(s0, s0, s1)
    with copyout():
        store(ws0, program_id() * 8, s0)
    sync_all()
    with copyin():
        load(x_p0, ws0, item * parts * 8, (parts, 1), stride=8)
    with compute():
        reduce_max(s0, x_p0, axis=None)
        v0 = s0[0]
        fill(s1, 0.0, 1)
    for j in range(first, last, tile):
        m = min(tile, last - j)
        with copyin():
            load(x_t0, g_x, item * d1 + j, m)
        with compute():
            sub(x_t0, x_t0, v0)
            exp(x_t0, x_t0)
            reduce_sum(s2, x_t0)
            add(s1, s1, s2)
    with copyout():
        store(ws1, program_id() * 8, s1)
    sync_all()
    with copyin():
        load(x_p0, ws1, item * parts * 8, (parts, 1), stride=8)
    with compute():
        reduce_sum(s1, x_p0, axis=None)
        v1 = s1[0]
    for j in range(first, last, tile):
        m = min(tile, last - j)
        with copyin():
            load(x_t0, g_x, item * d1 + j, m)
        with compute():
            sub(x_t0, x_t0, v0)
            exp(x_t0, x_t0)
            div(x_t0, x_t0, v1)
        with copyout():
            store(g_y, item * d1 + j, x_t0)

@ascend_kernel
def softmax_rows_rows(g_x, g_y, d1: int, d0: int, per_core: int, row_tile: int):
    """Whole rows in UB, several per tile; rows are cut over the cores.

    t0 = exp(x - max(x, axes [1]))
    y = t0 / sum(t0, axes [1])
    """
    x_t0 = alloc_ub((row_tile, d1), float32)
    r0 = alloc_ub(row_tile, float32)
    first = program_id() * per_core
    last = min(first + per_core, d0)
    for r in range(first, last, row_tile):
        n = min(row_tile, last - r)
        with copyin():
            load(x_t0, g_x, r * d1, (n, d1))
        with compute():
            reduce_max(r0, x_t0)
            sub(x_t0, x_t0, r0[:, None])
            exp(x_t0, x_t0)
            reduce_sum(r0, x_t0)
            div(x_t0, x_t0, r0[:, None])
        with copyout():
            store(g_y, r * d1, x_t0)

@ascend_kernel
def softmax_rows_items(g_x, g_y, d0: int, per_core: int, tile: int, d1: int):
    """One item after the other per core, one pass per reduction.

    t0 = exp(x - max(x, axes [1]))
    y = t0 / sum(t0, axes [1])
    """
    s0 = alloc_ub(8, float32)
    x_t0 = alloc_ub(tile, float32)
    s1 = alloc_ub(8, float32)
    s2 = alloc_ub(8, float32)
    first = program_id() * per_core
    last = min(first + per_core, d0)
    for item in range(first, last):
        with compute():
            fill(s0, -3.4028234663852886e+38, 1)
        for j in range(0, d1, tile):
            m = min(tile, d1 - j)
            with copyin():
                load(x_t0, g_x, item * d1 + j, m)
            with compute():
                reduce_max(s1, x_t0)
                maximum(s0, s0, s1)
        with compute():
            v0 = s0[0]
            fill(s1, 0.0, 1)
        for j in range(0, d1, tile):
            m = min(tile, d1 - j)
            with copyin():
                load(x_t0, g_x, item * d1 + j, m)
            with compute():
                sub(x_t0, x_t0, v0)
                exp(x_t0, x_t0)
                reduce_sum(s2, x_t0)
                add(s1, s1, s2)
        with compute():
            v1 = s1[0]
        for j in range(0, d1, tile):
            m = min(tile, d1 - j)
            with copyin():
                load(x_t0, g_x, item * d1 + j, m)
            with compute():
                sub(x_t0, x_t0, v0)
                exp(x_t0, x_t0)
                div(x_t0, x_t0, v1)
            with copyout():
                store(g_y, item * d1 + j, x_t0)

@ascend_host
def softmax_rows(x: Tensor, y: Output):
    """Softmax over the last axis: each row is shifted by its maximum, exponentiated and divided by its sum."""
    declare(y, x.shape, x.dtype)
    d0 = prod(x.shape[:-1])
    d1 = x.shape[-1]
    assert x.numel == d0 * d1, "x does not have the expected size"
    cores = max(1, min(core_num(), d0 * max(1, min(core_num() // d0, d1 // 8192))))
    parts = max(1, cores // d0)
    per_core = align_up(ceil_div(d1, parts), 64)
    tile = min(fit_tile(softmax_rows_split, "tile"), max(1024, align_up(ceil_div(per_core, 4), 64)))
    ws0 = workspace((core_num() + 1) * 8, float32)
    ws1 = workspace((core_num() + 1) * 8, float32)
    if parts >= 3:
        softmax_rows_split[cores](x, ws0, ws1, y, parts, per_core, d1, tile)
    else:
        cores = max(1, min(core_num(), d0))
        per_core = ceil_div(d0, cores)
        row_tile = min(fit_tile(softmax_rows_rows, "row_tile", d1=d1), per_core, d0)
        if row_tile >= 1:
            softmax_rows_rows[cores](x, y, d1, d0, per_core, row_tile)
        else:
            cores = max(1, min(core_num(), d0))
            per_core = ceil_div(d0, cores)
            tile = min(fit_tile(softmax_rows_items, "tile"), align_up(d1, 64))
            softmax_rows_items[cores](x, y, d0, per_core, tile, d1)
