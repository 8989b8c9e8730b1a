"""The driver of the fake NPU: it serves the tree's programs and libraries, compiles and runs everything on the twin.

A request is a folder in the exchange, and an empty file of its name in `queue`; the answer is the folder's file
`reply`: a code and a number, then text. Files `faults` (of the runtime's functions) and `build_faults` (of programs)
in the exchange say what goes wrong.
"""

import hashlib
import json
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from akgen.tools.cann.project import snake
from akgen.tools.core.call import Argument, Attr, Call, OutputMeta, Poison, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrValue, OpSpec
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build, RunOptions
from akgen.tools.twin.toolchain import TwinToolchain
from tests.fake_cann.direct_files import DirectFiles
from tests.fake_cann.records import record, without_files, words

_OP_ADD = re.compile(r"OP_ADD\s*\(\s*(\w+)")
_TYPES = {d.ge_value: d for d in DType}
_KERNEL_CODES = {Outcome.TRAP: 507035, Outcome.TIMEOUT: 507034, Outcome.CHEAT: 507035}
_POLL_S = 0.002
IN_PROCESS = (
    "op_host/in_process.h"  # what of a candidate's host code runs in the worker, as all of it does on CANN
)
_FILLS = (Poison(seed=1), Poison(seed=1, second=True))  # no byte of them is the same


class Driver:
    """Answers requests, one after the other, as one device does."""

    def __init__(self, twin: TwinToolchain, exchange: Path) -> None:
        self._twin, self.exchange = twin, exchange
        (exchange / "queue").mkdir()
        self._work = Path(tempfile.mkdtemp(prefix="akgen-rehearsal-"))
        self._direct = DirectFiles(twin, self._work)
        self._answered: dict[str, tuple[int, float, str]] = {}
        self.launched: list[str] = []  # operator types that ran on the twin
        self.asked: list[str] = []  # by which process each launch was asked for

    def runtime_fault(self, function: str, code: int, after: int = 0) -> None:
        """Let a function of the runtime return a code, from its call number `after` of a process on."""
        with (self.exchange / "faults").open("a") as file:
            file.write(f"{function} {code} {after}\n")

    def build_fault(self, phase: str, what: str) -> None:
        with (self.exchange / "build_faults").open("a") as file:
            file.write(f"{phase} {what}\n")

    def mend(self) -> None:
        """Take all faults back."""
        for name in ("faults", "build_faults"):
            (self.exchange / name).unlink(missing_ok=True)

    def close(self) -> None:
        shutil.rmtree(self._work, ignore_errors=True)

    def serve(self, stop: threading.Event) -> None:
        while not stop.wait(_POLL_S):
            for waiting in sorted((self.exchange / "queue").iterdir()):
                waiting.unlink()
                folder = self.exchange / waiting.name
                code, number, text = self._answer(json.loads((folder / "request.json").read_text()), folder)
                staged = folder / "reply.tmp"
                staged.write_text(f"{code} {number:.6f}\n{text}\n")
                staged.rename(folder / "reply")

    def _answer(self, request: dict[str, Any], folder: Path) -> tuple[int, float, str]:
        match request["what"]:
            case "host":
                return self._host(Path(request["project"]))
            case "opbuild":
                return self._opbuild(Path(request["project"]), Path(request["out"]))
            case "opc":
                return self._opc(Path(request["project"]), Path(request["out"]), request["unit"])
            case "bisheng":
                project, wrong = self._direct.compile(entry := Path(request["entry"]))
                return (
                    (1, 0, _compiler_words(wrong, entry.parent))
                    if wrong
                    else (0, 0, project.model_dump_json())
                )
            case "direct":
                return self._call_direct(request, folder)
            case "tile":
                return self._tile(request)
            case _:
                return self._launch(request, folder)

    def _host(self, generated: Path) -> tuple[int, float, str]:
        for project in _projects(generated):
            spec, found = self._twin.read_spec(project, self._folder(project, "spec"))
            if spec is None:
                return 1, 0, _compiler_words(found, generated)
        return 0, 0, ""

    def _opbuild(self, generated: Path, out: Path) -> tuple[int, float, str]:
        for project in _projects(generated):
            spec, _ = self._twin.read_spec(project, self._folder(project, "spec"))
            if spec is None:
                return 1, 0, "[ERROR] opbuild: no operator is registered"
            (out / f"aclnn_{project.kernel}.cpp").write_text(entries(spec, project.files.get(IN_PROCESS)))
            (out / f"aclnn_{project.kernel}.h").write_text(f"// aclnn{spec.op_type}\n")
        return 0, 0, ""

    def _opc(self, generated: Path, out: Path, unit: str) -> tuple[int, float, str]:
        for project in _projects(generated):
            found = [d for d in self._twin.lint(project) if d.severity == "error"]
            if found:
                return 1, 0, _compiler_words(found, generated)
            text = project.model_dump_json()
            tag = hashlib.sha256(text.encode()).hexdigest()[:32]
            folder = out / unit / project.kernel
            folder.mkdir(parents=True)
            (folder / f"{project.op_type}_{tag}.o").write_text(text)
            (folder / f"{project.op_type}_{tag}.json").write_text(
                json.dumps({"binFileName": f"{project.op_type}_{tag}", "compileOptions": _options(generated)})
            )
            config = out / "config" / unit
            config.mkdir(parents=True, exist_ok=True)
            (config / f"{project.kernel}.json").write_text(
                json.dumps({"binList": [{"simplifiedKey": [tag]}]})
            )
        return 0, 0, ""

    def _tile(self, request: dict[str, Any]) -> tuple[int, float, str]:
        project = _binary(request)
        if project is None:
            return 561003, 0, f"no kernel of {request['op']} below {request['vendors']!r}"
        key = json.dumps({k: v for k, v in request.items() if k != "profile"})
        if key not in self._answered:
            build = self._build(project, _call(request, self._spec(project), None))
            if build.outcome is None:
                self._answered[key] = (0, 32 << 10, "")
            else:
                code = 561002 if build.outcome is Outcome.TILING_ERROR else 561103
                self._answered[key] = (code, 0, words(build.diagnostics))
        return self._answered[key]

    def _call_direct(self, request: dict[str, Any], folder: Path) -> tuple[int, float, str]:
        self.asked.append(folder.name.partition("-")[0])
        given, profile = (folder / "arguments").read_bytes(), request["profile"]
        outcome, text, time_us = self._direct.call(
            Path(request["library"]), given, folder, profiled=bool(profile)
        )
        if outcome is not None:
            code = 561002 if outcome is Outcome.TILING_ERROR else _KERNEL_CODES.get(outcome, 507035)
            return code, 0, text
        self.launched.append("direct")
        if profile:
            with (Path(profile) / "launches.jsonl").open("a") as file:
                file.write((folder / "record").read_text() + "\n")
        return 0, time_us, ""

    def _launch(self, request: dict[str, Any], folder: Path) -> tuple[int, float, str]:
        project = _binary(request)
        if project is None:
            return 561003, 0, f"no kernel of {request['op']}"
        self.asked.append(folder.name.partition("-")[0])
        profile = request["profile"]
        key = hashlib.sha256(json.dumps(request).encode())
        for path in sorted(folder.glob("in*")):
            key.update(path.read_bytes())
        kept = self._work / key.hexdigest()
        if not (kept / "answer").is_file():
            call = _call(request, self._spec(project), folder)
            build = self._build(project, call)
            if build.outcome is not None:
                return 507035, 0, words(build.diagnostics)
            run = self._folder(project, "run")
            launch = self._twin.run(build, call, run, RunOptions(trace=bool(profile), poison=_FILLS[0]))
            if launch.outcome is not None:
                return _KERNEL_CODES.get(launch.outcome, 507035), 0, words(launch.diagnostics)
            kept.mkdir(parents=True)
            again = None
            if _held(call, launch.outputs):  # nobody wrote that, or a number that is the fill's
                again = self._twin.run(
                    build, call, self._folder(project, "again"), RunOptions(poison=_FILLS[1])
                ).outputs
            self._keep(request, call, launch.outputs, again, kept)
            (kept / "record").write_text(json.dumps(record(project.op_type, launch)))
            (kept / "answer").write_text(str(launch.time_us or 0.0))
            self.launched.append(project.op_type)
        for path in [*kept.glob("out*"), *kept.glob("changed*")]:
            shutil.copy(path, folder / path.name)
        for path in kept.glob("left*"):
            number = path.name.removeprefix("left")
            before, after = (np.fromfile(folder / f"{what}{number}", np.uint8) for what in ("was", "out"))
            np.where(np.fromfile(path, bool), before, after).tofile(folder / f"out{number}")
        if profile:
            with (Path(profile) / "launches.jsonl").open("a") as file:
                file.write((kept / "record").read_text() + "\n")
        return 0, float((kept / "answer").read_text()), ""

    def _keep(self, request: dict[str, Any], call: Call, outputs: Any, again: Any, kept: Path) -> None:
        """Write what came out under the numbers that the library gave its tensors, and which bytes nobody wrote.

        `again` is what came out with another fill before; None where no element can have been left.
        """
        spec = self._spec(_must(_binary(request)))
        names = {p.name for p in spec.inputs}
        own = iter([n for o in request["outputs"] if o is not None for n in _files(o)])
        for i, (out, value, other) in enumerate(zip(call.outputs, outputs, again or outputs, strict=True)):
            in_place = i >= len(spec.outputs) or spec.outputs[i].name in names
            for j, part in enumerate(value if isinstance(value, tuple) else (value,)):
                source = _files(request["inputs"][out.aliases])[j] if in_place else next(own)
                shutil.copy(part.path, kept / f"{'changed' if in_place else 'out'}{source}")
                if again is not None and not in_place and out.aliases is None and not out.zeroed:
                    second = other[j] if isinstance(other, tuple) else other
                    (_equal(part, _FILLS[0]) & _equal(second, _FILLS[1])).tofile(kept / f"left{source}")

    def _build(self, project: KernelProject, call: Call) -> Build:
        described = call.model_copy(update={"inputs": tuple(without_files(i) for i in call.inputs)})
        return self._twin.compile(project, [described], self._folder(project, "build"))

    def _spec(self, project: KernelProject) -> OpSpec:
        spec, found = self._twin.read_spec(project, self._folder(project, "spec"))
        assert spec is not None, found
        return spec

    def _folder(self, project: KernelProject, what: str) -> Path:
        folder = self._work / project.digest[:16] / what
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@contextmanager
def driver(twin: TwinToolchain, exchange: Path) -> Iterator[Driver]:
    """Run a driver for as long as the block lasts."""
    made, stop = Driver(twin, exchange), threading.Event()
    pool = ThreadPoolExecutor(1)
    served = pool.submit(made.serve, stop)
    try:
        yield made
    finally:
        stop.set()
        pool.shutdown()
        made.close()
    served.result()


def entries(spec: OpSpec, in_process: str | None = None) -> str:
    """Write the two entries of an operator as the vendor's generator declares them.

    Tiling is the twin's; `in_process` has functions of it that are called where CANN calls it: `tiling_of_call(n)`
    for each call, and `is_empty(n)`, which says that what it gave lets the kernel do nothing.
    """
    parameters, body = [], []
    shared = {p.name for p in spec.inputs} & {p.name for p in spec.outputs}
    for p in spec.inputs:
        name = p.name + ("Optional" if p.kind == "optional" else "") + ("Ref" if p.name in shared else "")
        if p.value_depend:
            kind = "Bool" if p.dtypes[0] is DType.BOOL else "Float" if p.dtypes[0].is_float else "Int"
            parameters.append(f"const acl{kind}Array *{name}")
            body.append(f"rehearsal_input_{kind.lower()}s(r, {name});")
        else:
            parameters.append(f"const aclTensor{'List' if p.kind == 'dynamic' else ''} *{name}")
            body.append(f"rehearsal_tensor{'s' if p.kind == 'dynamic' else ''}(r, {name}, 0);")
    for a in spec.attrs:
        ctype = {"bool": "bool", "int": "int64_t", "float": "double", "str": "char *",
                 "list_int": "const aclIntArray *", "list_float": "const aclFloatArray *",
                 "list_bool": "const aclBoolArray *"}[a.type]  # fmt: skip
        short = a.type.removeprefix("list_") + ("s" if a.type.startswith("list_") else "")
        parameters.append(f"{ctype} {a.name}")
        body.append(f'rehearsal_attr_{short}(r, "{a.name}", {a.name});')
    for p in spec.outputs:
        if p.name not in shared:
            parameters.append(f"const aclTensor{'List' if p.kind == 'dynamic' else ''} *{p.name}_out")
            body.append(f"rehearsal_tensor{'s' if p.kind == 'dynamic' else ''}(r, {p.name}_out, 1);")
    hooks = in_process or "static void tiling_of_call(int) {}\nstatic bool is_empty(int) { return false; }"
    return _ENTRIES.format(
        hooks=hooks, op=spec.op_type, parameters=", ".join(parameters), body="\n    ".join(body)
    )


_ENTRIES = """using int64_t = long;
using uint64_t = unsigned long;
struct aclTensor;
struct aclTensorList;
struct aclIntArray;
struct aclFloatArray;
struct aclBoolArray;
extern "C" {{
void *rehearsal_begin(const char *);
void rehearsal_tensor(void *, const aclTensor *, int);
void rehearsal_tensors(void *, const aclTensorList *, int);
void rehearsal_input_ints(void *, const aclIntArray *);
void rehearsal_input_floats(void *, const aclFloatArray *);
void rehearsal_input_bools(void *, const aclBoolArray *);
void rehearsal_attr_bool(void *, const char *, bool);
void rehearsal_attr_int(void *, const char *, int64_t);
void rehearsal_attr_float(void *, const char *, double);
void rehearsal_attr_str(void *, const char *, const char *);
void rehearsal_attr_ints(void *, const char *, const aclIntArray *);
void rehearsal_attr_floats(void *, const char *, const aclFloatArray *);
void rehearsal_attr_bools(void *, const char *, const aclBoolArray *);
int rehearsal_tile(void *, uint64_t *, void **);
int rehearsal_launch(void *, uint64_t, void *, void *);
}}
{hooks}
static int calls = 0;
extern "C" {{
int aclnn{op}GetWorkspaceSize({parameters}, uint64_t *akgen_size, void **akgen_executor)
{{
    void *r = rehearsal_begin("{op}");
    {body}
    tiling_of_call(++calls);
    return rehearsal_tile(r, akgen_size, akgen_executor);
}}
int aclnn{op}(void *workspace, uint64_t size, void *executor, void *stream)
{{
    return is_empty(calls) ? 0 : rehearsal_launch(workspace, size, executor, stream);
}}
}}
"""


def _projects(generated: Path) -> list[KernelProject]:
    """Read the operators of a generated project: each host file that registers one."""
    found = []
    for host in sorted((generated / "op_host").glob("*.cpp")):
        for op_type in _OP_ADD.findall(host.read_text()):
            whole = KernelProject.read_from(generated, op_type, snake(op_type))
            files = {
                p: t
                for p, t in whole.files.items()
                if p != "CMakeLists.txt" and not p.endswith("CMakeLists.txt")
            }
            others = [
                snake(o)
                for p in (generated / "op_host").glob("*.cpp")
                for o in _OP_ADD.findall(p.read_text())
            ]
            foreign = tuple(
                f"/{o}{end}" for o in others if o != whole.kernel for end in (".cpp", "_tiling.h")
            )
            files = {p: t for p, t in files.items() if not p.endswith(foreign)} if foreign else files
            found.append(whole.model_copy(update={"files": files}))
    return found


def _options(generated: Path) -> str:
    lists = (generated / "op_kernel/CMakeLists.txt").read_text()
    known = (
        "add_ops_compile_options(ALL OPTIONS -sanitizer)",
        "npu_op_kernel_options(ascendc_kernels ALL OPTIONS -sanitizer)",
    )
    return "-sanitizer" if any(one in lists for one in known) else ""


def _compiler_words(found: Any, generated: Path) -> str:
    return "\n".join(
        f"{generated / d.file if d.file else 'op_host'}:{d.line or 1}:1: error: {d.text}" for d in found
    )  # fmt: skip


def _binary(request: dict[str, Any]) -> KernelProject | None:
    """Find the operator's binary as the runtime does: below the folders of ASCEND_CUSTOM_OPP_PATH."""
    for vendor in filter(None, request["vendors"].split(":")):
        for path in sorted(Path(vendor).glob(f"op_impl/ai_core/tbe/kernel/*/*/{request['op']}_*.o")):
            return KernelProject.model_validate_json(path.read_text())
    return None


def _equal(part: TensorFile, fill: Poison) -> np.ndarray:
    """Say of each byte whether it is what the fill has there."""
    found = np.fromfile(part.path, np.uint8)
    return found == np.resize(np.frombuffer(fill.outputs(), np.uint8), found.size)


def _held(call: Call, outputs: Any) -> bool:
    """Say whether an element of an output with memory of its own is what the first fill has there."""
    own = [v for o, v in zip(call.outputs, outputs, strict=True) if o.aliases is None and not o.zeroed]
    parts = [part for value in own for part in (value if isinstance(value, tuple) else (value,))]
    return any(_equal(p, _FILLS[0]).reshape(-1, p.dtype.size_bytes).all(axis=1).any() for p in parts)


def _must(project: KernelProject | None) -> KernelProject:
    assert project is not None
    return project


def _files(described: Any) -> list[int]:
    return [d["file"] for d in (described if isinstance(described, list) else [described])]


def _call(request: dict[str, Any], spec: OpSpec, folder: Path | None) -> Call:
    """Make the twin's call of what an entry was given."""

    def tensor(d: dict[str, Any]) -> TensorMeta:
        meta = TensorMeta(dtype=_TYPES[d["type"]], shape=tuple(d["dims"]))
        return (
            meta
            if folder is None
            else TensorFile(dtype=meta.dtype, shape=meta.shape, path=folder / f"in{d['file']}")
        )

    inputs: list[Argument] = []
    known: list[tuple[int, tuple[int, ...] | tuple[float, ...]]] = []
    for i, given in enumerate(request["inputs"]):
        if given is None:
            inputs.append(None)
        elif isinstance(given, list):
            inputs.append(tuple(tensor(d) for d in given))
        elif "values" in given:
            dtype = spec.inputs[i].dtypes[0]
            meta = TensorMeta(dtype=dtype, shape=(len(given["values"]),))
            known.append((i, tuple(given["values"])))
            if folder is None:
                inputs.append(meta)
            else:
                path = folder / f"values{i}"
                np.array(given["values"], dtype=dtype.value).tofile(path)
                inputs.append(TensorFile(dtype=dtype, shape=meta.shape, path=path))
        else:
            inputs.append(tensor(given))
    names = [p.name for p in spec.inputs]
    own = iter(request["outputs"])
    outputs: list[OutputMeta] = []
    for p in spec.outputs:
        if p.name in names:
            at = names.index(p.name)
            shared = without_files(inputs[at])
            assert shared is not None
            outputs.append(OutputMeta(meta=shared, aliases=at))
            continue
        d = next(own)
        parts = d if isinstance(d, list) else [d]
        metas = tuple(TensorMeta(dtype=_TYPES[one["type"]], shape=tuple(one["dims"])) for one in parts)
        alias = parts[0]["alias"] if parts and parts[0]["alias"] >= 0 else None
        outputs.append(
            OutputMeta(
                meta=metas if isinstance(d, list) else metas[0],
                aliases=_argument(request, alias) if alias is not None else None,
                zeroed=bool(parts) and all(one["zeroed"] for one in parts),
            )
        )
    if not spec.outputs:  # it works in place
        for i, value in enumerate(inputs):
            if (meta_ := without_files(value)) is not None:
                outputs.append(OutputMeta(meta=meta_, aliases=i))
    attrs = tuple(Attr(name=a["name"], value=_attr(a["value"])) for a in request["attrs"])
    return Call(inputs=tuple(inputs), attrs=attrs, outputs=tuple(outputs), const_values=tuple(known))


def _argument(request: dict[str, Any], file: int) -> int:
    """Return the input that a file's number belongs to."""
    for i, given in enumerate(request["inputs"]):
        if given is not None and "values" not in given and file in _files(given):
            return i
    raise AssertionError(file)


def _attr(value: Any) -> AttrValue:
    return tuple(value) if isinstance(value, list) else value
