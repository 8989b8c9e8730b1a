"""The tiling function's first lines: shapes, dtypes, attributes and chip facts that its body reads."""

from akgen.tools.core.op_spec import OpSpec
from akgen.tools.dsl.cpp_names import pascal
from akgen.tools.dsl.host_expr import HostExpr

_LISTS = {"list_int": ("Int", "int64_t"), "list_float": ("Float", "float"), "list_bool": ("Bool", "bool")}


def input_lines(host: HostExpr, op: OpSpec, body: str) -> list[str]:
    """Return the declarations of what `body` mentions."""
    lines: list[str] = []
    plain = all(p.kind == "required" for p in op.inputs)
    given = host.host
    tensors = [(n, "Input", i, p.kind) for i, (n, p) in enumerate(zip(given.inputs, op.inputs, strict=True))]
    tensors += [
        (n, "Output", i, p.kind) for i, (n, p) in enumerate(zip(given.outputs, op.outputs, strict=True))
    ]
    for name, side, i, kind in tensors:
        prefix = (
            ""
            if plain or side == "Output"
            else {"required": "Required", "optional": "Optional"}.get(kind, "")
        )
        shape, dtype, counts, has = (
            host.shape(name),
            host.dtype(name),
            host.list_of(name),
            f"has{pascal(name)}",
        )
        if kind == "optional" and any(_uses(body, w) for w in (has, dtype, shape)):
            lines.append(f"const bool {has} = context->GetOptional{side}Shape({i}) != nullptr;")
        if _uses(body, shape):
            get = f"context->Get{prefix}{side}Shape({i})->GetStorageShape()"
            if kind == "optional":
                get = f"{has} ? {get} : gert::Shape()"
                lines.append(f"const gert::Shape {shape} = {get};")
            else:
                lines.append(f"const gert::Shape& {shape} = {get};")
        if _uses(body, dtype):
            at = f"GetDynamic{side}Desc({i}, 0)" if kind == "dynamic" else f"Get{prefix}{side}Desc({i})"
            get = f"context->{at}->GetDataType()"
            lines.append(
                f"const ge::DataType {dtype} = {f'{has} ? {get} : ge::DT_FLOAT' if kind == 'optional' else get};"
            )
        if _uses(body, counts):
            lines += [
                f"std::vector<int64_t> {counts};",
                f"for (size_t i = 0; i < context->GetIr{side}InstanceInfo({i})->GetInstanceNum(); ++i) {{",
                f"    {counts}.push_back(context->GetDynamic{side}Shape({i}, i)->GetStorageShape().GetShapeSize());",
                "}",
            ]
    lines += _attrs(host, op, body)
    if _uses(body, "coreNum") or _uses(body, "ubBytes"):
        lines.append("auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());")
    if _uses(body, "coreNum"):
        lines.append("const int64_t coreNum = platform.GetCoreNumAiv();")
    if _uses(body, "ubBytes"):
        lines += [
            "uint64_t ubSize = 0;",
            "platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);",
            "const int64_t ubBytes = static_cast<int64_t>(ubSize) - UB_RESERVE;",
        ]
    return lines


def _attrs(host: HostExpr, op: OpSpec, body: str) -> list[str]:
    lines: list[str] = []
    for i, (p, _) in enumerate(zip(host.host.attrs, op.attrs, strict=True)):
        name = host.names.of(p.name)
        if not _uses(body, name):
            continue
        match p.kind:
            case "int":
                lines.append(f"const int64_t {name} = *context->GetAttrs()->GetInt({i});")
            case "bool":
                lines.append(f"const bool {name} = *context->GetAttrs()->GetBool({i});")
            case "float":
                lines.append(f"const double {name} = *context->GetAttrs()->GetFloat({i});")
            case "str":
                lines.append(f"const std::string {name} = context->GetAttrs()->GetStr({i});")
            case _:
                kind, element = _LISTS[p.kind]
                values = f"{name}Values"
                lines.append(f"const auto* {values} = context->GetAttrs()->GetList{kind}({i});")
                span = f"{values}->GetData(), {values}->GetData() + {values}->GetSize()"
                lines.append(f"const std::vector<{element}> {name}({span});")
    return lines


def _uses(body: str, word: str) -> bool:
    """Return whether a C++ text mentions an identifier."""
    start = body.find(word)
    while start >= 0:
        before = body[start - 1] if start else " "
        after = body[start + len(word)] if start + len(word) < len(body) else " "
        if not (before.isalnum() or before in "_.") and not (after.isalnum() or after == "_"):
            return True
        start = body.find(word, start + 1)
    return False
