"""Draw shapes beside those that a dynamic task lists, so that a kernel made for the listed ones only is found.

The task's own input function makes the new inputs, from params with other sizes; so what belongs together stays so.
A number of the params is a size that may change where cases of the same form (the same params, lists of the same
lengths) differ in it, and where a dimension of an input follows it. What is drawn lies between the smallest and the
largest listed value, is a multiple of what all of them are multiples of, and is not far from one of the small cases: a
kernel may rely on what holds for every listed case. Equal sizes of a case change together.
"""

import copy
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Params, Task

Describe = Callable[[Case], Call]
Position = tuple[str, int | None]  # a param, and the element where it is a list
Change = dict[int, int]  # sizes, and what becomes of them

_MOST_TRIED = 6  # calls that the reference is asked for
_ROOM_BYTES = 1 << 18  # of a drawn case, if no listed case is as small
_GROWTH = 1.25


class DrawnCase(Frozen):
    """A case that the task does not list, and its call's shapes; or why there is none."""

    case: Case | None = None
    shapes: tuple[tuple[int, ...], ...] = ()  # of the inputs, lists flattened
    why_not: str = ""


def draw(task: Task, cases: Sequence[Case], describe: Describe, seed: int) -> DrawnCase:
    """Draw one case beside the listed ones; `describe` gives a case's call and raises InputError if it has none."""
    if task.mode != Mode.DYNAMIC:
        return DrawnCase(why_not="the task is static")
    if not task.draws_shapes:
        return DrawnCase(why_not="the task forbids it")
    if task.own_checker:
        return DrawnCase(why_not="the task's own checker is made for its own cases")
    if len(cases) < 2:
        return DrawnCase(why_not="fewer than two of its cases are judged")
    rng = random.Random(seed)
    tried = 0
    bytes_of = {c.id: describe(c).size_bytes for c in cases}
    small = max(_ROOM_BYTES, min(bytes_of.values()))
    near = [c for c in cases if bytes_of[c.id] <= small]
    for base in rng.sample(near, len(near)):
        call, sizes = describe(base), _sizes(base, cases)
        for change in _changes(sizes, rng):
            if tried == _MOST_TRIED:
                break
            tried += 1
            case = _changed(base, sizes, change)
            try:
                found = describe(case)
            except InputError:
                continue
            if _fits(call, found, change):
                return DrawnCase(case=case, shapes=_shapes(found.inputs))
    return DrawnCase(why_not="no size of its inputs could be changed by itself")


def _positions(params: Params) -> Iterator[tuple[Position, int]]:
    """Find the integers of the params."""
    for key, value in params.items():
        if isinstance(value, int) and not isinstance(value, bool):
            yield (key, None), value
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, int) and not isinstance(item, bool):
                    yield (key, i), item


def _form(params: Params) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((k, len(v) if isinstance(v, list) else -1) for k, v in params.items()))


def _sizes(base: Case, cases: Sequence[Case]) -> dict[Position, tuple[int, set[int]]]:
    """Return the integers of a case in which cases of its form differ, with the values that these have."""
    alike = [dict(_positions(c.params)) for c in cases if _form(c.params) == _form(base.params)]
    found = {}
    for position, value in _positions(base.params):
        listed = {c[position] for c in alike if position in c}
        if len(listed) > 1 and min(listed) >= 1:
            found[position] = value, listed
    return found


def _changes(sizes: Mapping[Position, tuple[int, set[int]]], rng: random.Random) -> Iterator[Change]:
    """Propose what becomes of the sizes: of all at once, then of each alone."""
    listed: dict[int, list[set[int]]] = {}
    for value, values in sizes.values():
        listed.setdefault(value, []).append(values)
    choices: dict[int, list[int]] = {}
    for value, all_values in listed.items():
        step = math.lcm(*(math.gcd(*values) for values in all_values))
        lowest = max(*(min(values) for values in all_values), value - value // 2)
        highest = min(*(max(values) for values in all_values), value + max(3 * step, value // 2))
        between = range(-(-lowest // step) * step, highest + 1, step)
        choices[value] = [n for n in between if all(n not in values for values in all_values)]
    choices = {value: fresh for value, fresh in choices.items() if fresh}
    whole: Change = {}
    for value, fresh in choices.items():
        others = [n for n in fresh if n not in whole.values() and n not in listed] or fresh
        whole[value] = rng.choice(others)
    if whole:
        yield whole
    if len(whole) > 1:
        for value in rng.sample(sorted(choices), len(choices)):
            yield {value: min(choices[value])}


def _changed(base: Case, sizes: Mapping[Position, tuple[int, set[int]]], change: Change) -> Case:
    params: Params = copy.deepcopy(base.params)
    for (key, index), (value, _) in sizes.items():
        if value in change:
            held = params[key]
            if isinstance(held, list) and index is not None:
                held[index] = change[value]  # type: ignore[call-overload]
            else:
                params[key] = change[value]
    name = "drawn_" + "_".join(f"{old}to{new}" for old, new in change.items())
    return Case(id=f"{base.id}_{name}", params=params)


def _fits(before: Call, after: Call, change: Change) -> bool:
    """Say whether an operator of the same interface takes both calls, and the sizes are what changed."""
    if after.size_bytes > max(_ROOM_BYTES, _GROWTH * before.size_bytes):
        return False
    old, new = (list(_flat((*c.inputs, *(o.meta for o in c.outputs)))) for c in (before, after))
    if [_kind(m) for m in old] != [_kind(m) for m in new] or len(before.inputs) != len(after.inputs):
        return False
    if any(not _follows(a.value, b.value, change) for a, b in zip(before.attrs, after.attrs, strict=True)):
        return False
    moved = {
        (x, y)
        for a, b in zip(_shapes(before.inputs), _shapes(after.inputs), strict=True)
        for x, y in zip(a, b, strict=True)
    }
    return all(step in moved for step in change.items())


def _follows(before: AttrValue, after: AttrValue, change: Change) -> bool:
    """Say whether an attribute stayed, or went along with a size."""
    old, new = (v if isinstance(v, tuple) else (v,) for v in (before, after))
    return len(old) == len(new) and all(
        x == y or (isinstance(x, int) and change.get(x) == y) for x, y in zip(old, new, strict=True)
    )


def _kind(meta: TensorMeta | None) -> tuple[str, int] | None:
    return None if meta is None else (meta.dtype.value, len(meta.shape))


def _flat(arguments: Sequence[Argument]) -> Iterator[TensorMeta | None]:
    for argument in arguments:
        yield from argument if isinstance(argument, tuple) else (argument,)


def _shapes(arguments: Sequence[Argument]) -> tuple[tuple[int, ...], ...]:
    return tuple(m.shape for m in _flat(arguments) if m is not None)
