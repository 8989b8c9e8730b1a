"""The methods of std::vector and of PyTorch's array references, on Python lists."""

from typing import Any

from akgen.bench.npukb.cpp.interpreter import Unknown
from akgen.bench.npukb.cpp.values import Pointer


def list_method(owner: list[Any], name: str, args: list[Any]) -> Any:
    """Run a method. Raises Unknown for one that is not known."""
    match name:
        case "size" | "length":
            return len(owner)
        case "empty":
            return not owner
        case "push_back" | "emplace_back":
            return owner.append(args[0])
        case "pop_back":
            return owner.pop()
        case "reserve" | "shrink_to_fit":
            return None
        case "resize":
            owner[:] = (owner + [args[1] if len(args) > 1 else 0] * args[0])[: args[0]]
            return None
        case "vec":
            return list(owner)
        case "back" | "front":
            return owner[-1 if name == "back" else 0]
        case "begin" | "cbegin" | "data":
            return Pointer(owner)
        case "end" | "cend":
            return Pointer(owner, len(owner))
        case "at":
            return owner[args[0]]
        case "insert":
            position, values = args[0].offset, args[1:]
            owner[position:position] = (
                values[0].items[values[0].offset : values[1].offset] if len(values) == 2 else values
            )
            return None
        case "erase":
            return owner.pop(args[0].offset)
        case "slice":
            return owner[args[0] : args[0] + args[1]] if len(args) > 1 else owner[args[0] :]
    raise Unknown(f"std::vector::{name}")
