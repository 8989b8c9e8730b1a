@ascend_kernel
def product_split_k(x, y, out, m: int, n: int, k: int, share: int):
    """out = x @ y: every core multiplies a share of k and adds to what is there."""
    mm = matmul_object(x, y, out, (m, n, share))
    z = alloc_ub(m * n, float32)
    if program_id() == 0:
        with compute():
            fill(z, 0.0)
        with copyout():
            store(out, 0, z)
    sync_all()
    for i in range(program_id() * share, k, num_programs() * share):
        with cube():
            multiply(mm, (m, n, min(share, k - i)), a=i, b=i * n, lda=k, ldb=n, accumulate=True)

@ascend_host
def product_split(x: Tensor, y: Tensor, out: Output):
    """One block of C, and k long: its parts are cut over the cores."""
    declare(out, (x.shape[0], y.shape[1]), x.dtype)
    k = x.shape[1]
    cores = min(core_num(), ceil_div(k, 128))
    product_split_k[cores](x, y, out, x.shape[0], y.shape[1], k, ceil_div(k, cores))
