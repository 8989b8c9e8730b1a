@ascend_kernel
def k(var, m, v, grad, var_ref, m_ref, v_ref, n: int, tile: int, lr: float, b1: float, b2: float, eps: float):
    p = alloc_ub(tile, float32)
    a = alloc_ub(tile, float32)
    b = alloc_ub(tile, float32)
    g = alloc_ub(tile, float32)
    q = alloc_ub(tile, float32)
    for i in range(program_id() * tile, n, num_programs() * tile):
        c = min(tile, n - i)
        with copyin():
            load(p, var, i, c)
            load(a, m, i, c)
            load(b, v, i, c)
            load(g, grad, i, c)
        with compute():
            mul(a, a, b1)
            mul(b, b, b2)
            mul(q, g, 1.0 - b1)
            add(a, a, q)
            square(g, g)
            mul(g, g, 1.0 - b2)
            add(b, b, g)
            sqrt(q, b)
            add(q, q, eps)
            div(q, a, q)
            mul(q, q, lr)
            sub(p, p, q)
        with copyout():
            store(var_ref, i, p)
            store(m_ref, i, a)
            store(v_ref, i, b)

@ascend_host
def adam(
    var: Tensor, m: Tensor, v: Tensor, grad: Tensor, var_ref: Output, m_ref: Output, v_ref: Output,
    lr: float = 0.1, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
):
    """One pass over four tensors; three of them are overwritten."""
    n = var.numel
    t = fit_tile(k, "tile")
    k[min(core_num(), ceil_div(n, t))](var, m, v, grad, var_ref, m_ref, v_ref, n, t, lr, b1, b2, eps)
