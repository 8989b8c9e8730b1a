@ascend_kernel
def turn(x, out, rows: int, cols: int, row_tile: int, col_tile: int):
    """Tiles are dealt out to the cores; each is turned in UB."""
    a = alloc_ub((row_tile, col_tile), float32)
    b = alloc_ub((col_tile, row_tile), float32)
    wide = ceil_div(cols, col_tile)
    for k in range(program_id(), ceil_div(rows, row_tile) * wide, num_programs()):
        r = k // wide * row_tile
        c = k % wide * col_tile
        n = min(row_tile, rows - r)
        m = min(col_tile, cols - c)
        with copyin():
            load(a, x, r * cols + c, (n, m), stride=cols)
        with compute():
            transpose(b, a)
        with copyout():
            store(out, c * rows + r, b, stride=rows)

@ascend_host
def transpose_of(x: Tensor, out: Output):
    """Tiles of 64 columns and as many rows as fit."""
    declare(out, (x.shape[1], x.shape[0]), x.dtype)
    row_tile = min(fit_tile(turn, "row_tile", col_tile=64), 128)
    turn[core_num()](x, out, x.shape[0], x.shape[1], row_tile, 64)
