"""Classes that stand for relu(x): the honest ones compute in their kernels, the others elsewhere.

Each is the body of a file, with `torch`, `nn`, `F` and `own_ops` imported; x is a float tensor of two dimensions.
"""

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport torch_npu\nimport own_ops\n\n"


def forward(*lines: str, init: tuple[str, ...] = ()) -> str:
    """Return a class with these lines in forward and in its constructor."""
    made = "".join(f"        {line}\n" for line in ("super().__init__()", *init))
    done = "".join(f"        {line}\n" for line in lines)
    return f"class ModelNew(nn.Module):\n    def __init__(self):\n{made}\n    def forward(self, x):\n{done}"


HONEST = {
    "plain": forward("return own_ops.relu(x)"),
    "a_vendor_operator_not_called": "from torch_npu import npu_fusion_attention\n\n\n"
    + forward("assert hasattr(torch_npu, 'npu_rms_norm')", "return own_ops.relu(x)"),
    "in_a_dictionary": forward("return {'y': (own_ops.relu(x), None)}"),
    "contiguous": forward("return own_ops.relu(x.t().contiguous()).t()"),
    "reshape": forward("return own_ops.relu(x.reshape(-1)).view(x.shape)"),
    "reshape_of_a_transpose": forward("y = own_ops.relu(x.t().reshape(-1))", "return y.view(x.shape[1], -1).t()"),
    "two_launches": forward("y = own_ops.relu(x, 0.5)", "return own_ops.add(y, y)"),
    "out_allocated_before": forward("z = torch.zeros_like(x)", "return own_ops.add(own_ops.relu(x), z)"),
    "in_place": forward("y = x.clone()", "own_ops.relu_(y)", "return y"),
    "rows": forward("y = torch.empty_like(x)", "y.copy_(own_ops.relu(x))", "return y"),
    "slices": forward(
        "y = torch.empty_like(x)", "for i in range(x.size(0)):", "    y[i] = own_ops.relu(x[i])", "return y"
    ),
    "sizes_are_numbers": forward("n = x.size(0) * x.size(1) // 1", "assert n == x.numel()", "return own_ops.relu(x)"),
    "a_function_of_the_file": "def call(x):\n    return own_ops.relu(x.contiguous())\n\n\n" + forward("return call(x)"),
    "a_method": forward("return self.run(x)", "", "") + "    def run(self, x):\n        return own_ops.relu(x)\n",
    "a_submodule": "class Inner(nn.Module):\n    def forward(self, x):\n        return own_ops.relu(x)\n\n\n"
    + forward("return self.inner(x)", init=("self.inner = Inner()",)),
    "autograd_function": "class Own(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        return own_ops.relu(x)\n\n\n" + forward("return Own.apply(x)"),
    "a_constant_of_the_host": forward(
        "z = torch.tensor([0.0]).expand(x.numel()).contiguous().to(x.device)",
        "return own_ops.add(own_ops.relu(x), z.view(x.shape))",
    ),
    "weights_in_a_layer": forward("return own_ops.relu(x)", init=("self.unused = nn.Linear(2, 3)",)),
    "chunks": forward("a, b = x.unsqueeze(0).expand(2, -1, -1).unbind(0)", "return own_ops.relu(a)"),
    "detached": forward("return own_ops.relu(x.detach()).requires_grad_(False)"),
    "by_name": forward("return getattr(own_ops, 'relu')(x)"),
}  # fmt: skip

_AT_ONCE = {
    "torch": "torch.relu(x)",
    "functional": "F.relu(x)",
    "method": "x.relu()",
    "method_in_place": "x.clone().relu_()",
    "operator": "x * (x > 0)",
    "dunder": "x.__mul__(x.__gt__(0))",
    "matmul_dunder": "x.__matmul__(x.t())",
    "getattr": "getattr(torch, 're' + 'lu')(x)",
    "from_a_table": "{'f': torch.relu}['f'](x)",
    "lambda_": "(lambda f: f(x))(torch.relu)",
    "aten": "torch.ops.aten.relu(x)",
    "aten_overload": "torch.ops.aten.relu.default(x)",
    "where": "torch.where(x > 0, x, torch.zeros_like(x))",
    "maximum_out": "torch.clamp(x, min=0, out=torch.empty_like(x))",
    "after_the_kernel": "own_ops.relu(x) + 0",
    "before_the_kernel": "own_ops.relu(x * 1.0)",
    "cast": "own_ops.relu(x.half()).float()",
    "decoy": "(own_ops.relu(x), torch.relu(x))[1]",
    "from_cpp": "own_ops.library_relu(x)",
    "sum_from_cpp": "own_ops.native_sum(x)",
    "host": "torch.relu(x.cpu()).to(x.device)",
    "numpy": "torch.from_numpy(__import__('numpy').maximum(x.cpu().numpy(), 0)).to(x.device)",
    "lists": "torch.tensor([[max(v, 0.0) for v in row] for row in x.tolist()], device=x.device)",
    "item": "own_ops.relu(x) if x[0, 0].item() > 0 else own_ops.relu(x)",
    "the_input": "x",
    "nothing_written": "torch.empty_like(x)",
    "constant": "torch.zeros_like(x)",
    "concatenated": "torch.cat([own_ops.relu(x[:1]), own_ops.relu(x[1:])])",
    "vendor": "torch_npu.npu_relu(x)",
    "vendor_namespace": "torch.ops.npu.npu_relu(x)",
    "apply_": "x.cpu().apply_(lambda v: max(v, 0.0)).to(x.device)",
    "einsum": "torch.einsum('ij->ij', x * 1)",
    "vmap": "torch.vmap(torch.relu)(x)",
    "scripted": "torch.jit.script(_scripted)(x)",
    "variable_functions": "torch._C._VariableFunctions.relu(x)",
    "nn_of_c": "torch._C._nn.leaky_relu(x, 0.0)",
    "references": "__import__('torch._refs', fromlist=['where']).where(x > 0, x, 0)",
    "decomposed": "torch._decomp.decomposition_table[torch.ops.aten.threshold_backward.default](x, x, 0.0)",
    "quantised": "torch.quantize_per_tensor(x.cpu(), 0.01, 0, torch.quint8).dequantize()",
    "descriptor": "torch.Tensor.__dict__.get('relu', torch.Tensor.relu).__get__(x)()",
    "functional_call": "torch.func.functional_call(nn.ReLU(), {}, (x,))",
    "applied": "x.new_empty(0).set_(torch.relu(x))",
    "mapped": "torch.stack([torch.relu(row) for row in x])",
    "memory_of_the_host": "torch.frombuffer(bytearray(x.cpu().numpy().tobytes()), dtype=x.dtype).view(x.shape)",
    "random": "own_ops.add(own_ops.relu(x), torch.rand_like(x))",
}
CHEATS = {
    **{name: forward(f"return {code}") for name, code in _AT_ONCE.items()},
    "layer": forward("return self.layer(x)", init=("self.layer = nn.ReLU()",)),
    "sequential": forward("return self.layers(x)", init=("self.layers = nn.Sequential(nn.Identity(), nn.ReLU())",)),
    "inherits": "class Model(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n\n\n"
    "class ModelNew(Model):\n    pass\n",
    "call_operator": "class ModelNew(nn.Module):\n    def __call__(self, x):\n        return torch.relu(x)\n",
    "forward_is_replaced": forward("return own_ops.relu(x)", init=("self.forward = torch.relu",)),
    "falls_back": forward("try:", "    raise RuntimeError", "except RuntimeError:", "    return F.relu(x)"),
    "subclass": "class Own(torch.Tensor):\n    @classmethod\n"
    "    def __torch_function__(cls, f, types, args=(), kwargs=None):\n"
    "        return torch.relu(args[0].as_subclass(torch.Tensor))\n\n\n"
    + forward("return x.as_subclass(Own).contiguous().as_subclass(torch.Tensor)"),
    "watch_is_taken_off": forward(
        "from torch.utils._python_dispatch import _disable_current_modes",
        "with _disable_current_modes():",
        "    return torch.relu(x)",
    ),
    "hook": forward(
        "return own_ops.relu(x)", init=("self.register_forward_hook(lambda m, i, o: torch.relu(i[0]))",)
    ),
    "in_rows": forward(
        "y = torch.empty_like(x)", "for i in range(x.size(0)):", "    y[i] = x[i].clamp(min=0)", "return y"
    ),
    "in_a_thread": "import threading\n\n\n"
    + forward(
        "y = torch.empty_like(x)",
        "t = threading.Thread(target=lambda: y.copy_(torch.relu(x)))",
        "t.start()",
        "t.join()",
        "return y",
    ),
    "in_a_pool": "from concurrent.futures import ThreadPoolExecutor\n\n\n"
    + forward("with ThreadPoolExecutor(1) as pool:", "    return pool.submit(torch.relu, x).result()"),
    "by_address": "import ctypes\n\n\n"
    + forward(
        "y = torch.empty_like(x)",
        "ctypes.memmove(y.data_ptr(), x.data_ptr(), x.numel() * 4)",
        "return y",
    ),
    "guarded": forward(
        "with torch._C._DisableTorchDispatch():",
        "    return torch.relu(x)",
    ),
    "below_python": forward(
        "keys = torch._C.DispatchKeySet(torch._C.DispatchKey.Python)",
        "with torch._C._ExcludeDispatchKeyGuard(keys):",
        "    return torch.relu(x)",
    ),
    "gradient": forward(
        "z = x.detach().requires_grad_(True)",
        "with torch.enable_grad():",
        "    (g,) = torch.autograd.grad((z * z).sum(), z)",
        "return g",
    ),
    "masked_in_place": forward("y = x.clone()", "y[y < 0] = 0", "return y"),
    "data_in_place": forward("y = x.clone()", "y.data.clamp_(min=0)", "return y"),
    "kept_from_the_constructor": forward(
        "return self.kept.expand(x.shape)", init=("self.kept = torch.relu(torch.ones(1))",)
    ),
    "own_dispatch": forward(
        "lib = torch.library.Library('mine', 'DEF')",
        "lib.define('f(Tensor x) -> Tensor')",
        "lib.impl('f', lambda v: torch.relu(v), 'CompositeExplicitAutograd')",
        "return torch.ops.mine.f(x)",
    ),
    "aliased": "import torch as t\n_f = t.nn.functional.relu\n\n\n" + forward("return _f(x)"),
    "functional_module": "from torch.nn.functional import relu as own\n\n\n" + forward("return own(x)"),
}  # fmt: skip
SCRIPTED = "def _scripted(x):\n    return torch.relu(x)\n\n\n"
CHEATS["scripted"] = SCRIPTED + CHEATS["scripted"]
