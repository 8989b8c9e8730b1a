"""Answers that bring a kernel and no host code: when they are asked for, and which host they get."""

import re
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from akgen.agents.plan import Tiling
from akgen.tools.core.call import Argument, Call
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrSpec, AttrValue, OpSpec, ParamSpec, definition_lines
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task

# Words of a kernel that takes cube cores.
_CUBE = re.compile(r"\b(?:KERNEL_TYPE_(?:AIC_ONLY|MIX_AIC_1_[012])|REGIST_MATMUL_OBJ|Mmad)\b")
LEAST_WORKSPACE = 1 << 20  # bytes, for a kernel that uses some and does not say how much
SPARE = DType.FLOAT32  # declared for an input that is absent in the case at hand


def suits(task: Task) -> bool:
    """Say whether a kernel with constants of its own can solve the task: it has one case, so one shape."""
    return len(task.cases) == 1


def host_files(task: Task, call: Call, kernel: str = "", tiling: Tiling | None = None) -> dict[str, str]:
    """Return the host code for a kernel-only answer: the task's own where it gives one, else a minimal one.

    It starts the cores and gives the workspace that the plan's `tiling` or the kernel's text asks for.
    """
    if given := given_host(task):
        return given
    cube = _CUBE.search(kernel) is not None or (tiling is not None and tiling.core_type != "vector")
    own = tiling.workspace_bytes if tiling is not None else 0
    if "GetUserWorkspace" in kernel:
        own = max(own, 2 * call.size_bytes, LEAST_WORKSPACE)
    text = minimal_host(task.op_type, call, cube=cube, workspace_bytes=own)
    return {f"op_host/{task.kernel}.cpp": text}


def given_host(task: Task) -> dict[str, str]:
    """Return the host code that the task gives to answers which bring a kernel only; empty if it gives none."""
    if task.given_host is None or not (task.given_host / "op_kernel").is_dir():
        return {}
    given = KernelProject.read_from(task.given_host, task.op_type, task.kernel)
    return {path: given.files[path] for path in given.host_files}


def minimal_host(op_type: str, call: Call, *, cube: bool = False, workspace_bytes: int = 0) -> str:
    """Write host code that starts every vector core and hands over no tiling data.

    With `cube`, it starts every cube core, each with its vector cores, and asks for the library's workspace.
    """
    template = files("akgen.agents.kernel_only").joinpath("host.cpp.j2").read_text()
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    return environment.from_string(template).render(
        op_type=op_type,
        definition=definition_lines(interface(op_type, call)),
        cube=cube,
        workspace_bytes=workspace_bytes,
    )


def interface(op_type: str, call: Call) -> OpSpec:
    """Return the OpDef of one call. An output that is an input's memory has that input's name."""
    inputs = [_param(f"x{i}", value) for i, value in enumerate(call.inputs)]
    outputs = []
    for k, output in enumerate(call.outputs):
        name = f"y{k}" if output.aliases is None else inputs[output.aliases].name
        outputs.append(_param(name, output.meta))
    return OpSpec(
        op_type=op_type,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        attrs=tuple(AttrSpec(name=a.name, type=_type(a.value), default=a.value) for a in call.attrs),
    )


def _param(name: str, value: Argument) -> ParamSpec:
    if value is None:
        return ParamSpec(name=name, kind="optional", dtypes=(SPARE,))
    if isinstance(value, tuple):
        return ParamSpec(name=name, kind="dynamic", dtypes=(value[0].dtype if value else SPARE,))
    return ParamSpec(name=name, dtypes=(value.dtype,))


def _type(value: AttrValue) -> str:
    if isinstance(value, tuple):
        return f"list_{_type(value[0] if value else 0)}"
    return {bool: "bool", int: "int", float: "float"}.get(type(value), "str")
