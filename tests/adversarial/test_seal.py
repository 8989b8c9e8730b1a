"""Hostile programs inside the process that judges them: none is accepted, none forges a report or breaks the machine.

Each leaves its computation out, so that it could be accepted only if its attack had an effect. They run sealed, through
the real compiler, launcher and judge.
"""

import json
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from tests.sampled import sampled

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64",
    reason="kernels are sealed on x86-64 only, and the attacks are written for it",
)
REFUSED = {Outcome.CHEAT, Outcome.TRAP, Outcome.COMPILE_ERROR, Outcome.WRONG, Outcome.TIMEOUT}
NO_COMPUTATION = "Duplicate(out, 0.0f, count);\n"
PASTE = "#define A2(x, y) x##y\n#define A1(x, y) A2(x, y)\n#define ASM A1(as, m)\n"

# `instructions` that no kernel has; `texts` that reach the assembler by other ways; C++ `reaching` out of the kernel's
# memory; `names` that only the host has or the runtime keeps; lines `forged` like the launcher's; `ways` to say them;
# `escapes`: programs whole, with the codes of which one must be found.
HOSTILE = json.loads(Path(__file__).with_name("hostile.json").read_text())

EVIL = 'extern "C" __attribute__((noinline, used)) void Evil() { static volatile int v; v = 1; }\n'


def assembly(text: str) -> str:
    """Write a statement for it. In this form, and no other, the compiler takes a percent sign for its own."""
    return 'ASM volatile("' + text.replace("%", "%%") + '" ::: "memory");'


def programs() -> Iterator[tuple[str, str, str]]:
    """Yield a name, what stands before the kernel, and what the kernel does in place of computing."""
    for text in HOSTILE["instructions"]:
        yield f"instruction {text}", PASTE, assembly(text)
    for text in HOSTILE["texts"]:
        yield f"text {text}", PASTE, assembly(text)
        if text in HOSTILE["texts"][::6]:
            yield f"text of a file {text}", PASTE + f'ASM(".text\\n{text}");', ""
            yield (
                f"text of a name {text}",
                PASTE + f'extern "C" int mine() ASM("mine\\n\\t{text}\\n");',
                "mine();",
            )
    for name, code in HOSTILE["reaching"].items():
        yield name, EVIL, f"{{ {code} }}"  # its names are none of the kernel's
    for name in HOSTILE["names"]:
        yield f"name {name}", f'{PASTE}extern "C" void mine() ASM("{name}");', "mine();"
        if name in HOSTILE["names"][::3]:
            weak = f'{PASTE}extern "C" __attribute__((weak)) void mine() ASM("{name}");'
            yield f"weak name {name}", weak, "if (&mine) { mine(); }"
            yield f"variable {name}", f'{PASTE}extern "C" long mine ASM("{name}");', "mine = -1;"
    for name in ("akgen_check_store8", "akgen_check_store8_flags", "akgen_stack_left", "akgen_functions"):
        own = f'extern "C" __attribute__((used)) void {name}() {{}}'
        yield f"definition {name}", own, "*(volatile long *)0x7f0000000000 = 1;"
    for attribute in (
        "no_sanitize_address",
        'optimize("O3")',
        "naked",
        'target("avx2")',
        "no_instrument_function",
    ):
        top = (
            f"__attribute__(({attribute}, noinline)) void Mine() {{ *(volatile long *)0x7f0000000000 = 1; }}"
        )
        yield f"attribute {attribute}", top, "Mine();"


@pytest.mark.parametrize(("name", "top", "entry"), sampled(programs(), 6))
def test_a_hostile_program_is_not_accepted(
    attacked: Any, codes: Any, name: str, top: str, entry: str
) -> None:
    verdict = attacked("programs", top=top, entry=entry, compute=NO_COMPUTATION)
    assert verdict.outcome in REFUSED
    assert codes(verdict)


@pytest.mark.parametrize("name", HOSTILE["escapes"])
def test_a_way_out_ends_where_it_should(attacked: Any, codes: Any, name: str) -> None:
    escape = HOSTILE["escapes"][name]
    verdict = attacked("escapes", top=PASTE + escape["top"], entry=escape["entry"], compute=NO_COMPUTATION)
    assert verdict.outcome in REFUSED
    assert codes(verdict) & set(escape["codes"])


@pytest.mark.parametrize("way", HOSTILE["ways"])
@pytest.mark.parametrize("line", sampled(range(len(HOSTILE["forged"])), 5))
def test_a_report_that_the_kernel_forges_changes_nothing(
    attacked: Any, codes: Any, way: str, line: int
) -> None:
    top, code = HOSTILE["ways"][way]
    quoted = HOSTILE["forged"][line].replace("\\", "\\\\").replace('"', '\\"')
    text = f'static const char l[] = "\\n{quoted}\\n";\n'
    verdict = attacked("forged reports", top=top + text, entry=code, compute=NO_COMPUTATION)
    assert verdict.outcome in REFUSED
    # two ways are found in the source: one is no instruction of a kernel's, one names the simulator
    assert verdict.outcome != Outcome.CHEAT or way in ("a system call", "what it asserts")
    assert codes(verdict)


def test_there_are_as_many_as_are_promised() -> None:
    assert len(list(programs())) >= 150
    assert len(HOSTILE["forged"]) * len(HOSTILE["ways"]) >= 60
