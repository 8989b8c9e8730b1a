"""What is worked out of a kernel once is that kernel's, as long as it lives."""

import gc
from collections.abc import Callable

from akgen.tools.core.frozen import kept
from akgen.tools.dsl import Program
from akgen.tools.dsl.ir import Kernel
from akgen.tools.dsl.prepare import analyse, prepare
from tests.dsl.test_lowering import passes


def _kernel(doc: str = "a") -> Kernel:
    return Kernel(name="k", doc=doc, params=(), body=())


def test_an_object_is_asked_once_and_an_equal_one_or_a_copy_by_itself() -> None:
    asked: list[str] = []

    @kept
    def told(kernel: Kernel) -> str:
        asked.append(kernel.doc)
        return kernel.doc * 2

    first, equal = _kernel(), _kernel()
    assert [told(first), told(first), told(equal)] == ["aa"] * 3
    assert asked == ["a", "a"]
    assert told(first.model_copy(update={"doc": "b"})) == "bb"


def test_nothing_is_taken_for_an_object_that_took_the_place_of_another() -> None:
    @kept
    def told(kernel: Kernel) -> str:
        return kernel.doc

    for n in range(200):
        one = _kernel(str(n))
        assert told(one) == str(n)
        del one
    gc.collect()


def test_a_kernel_is_analysed_once_for_all_combinations_of_types(program: Callable[[str], Program]) -> None:
    one = program("softmax")
    first = [analyse(kernel) for kernel in one.kernels]
    passes(one)
    prepared = prepare(one)
    assert all(analyse(kernel) is found for kernel, found in zip(one.kernels, first, strict=True))
    assert all(prepared[kernel.name] is ready for kernel, (ready, _) in zip(one.kernels, first, strict=True))
