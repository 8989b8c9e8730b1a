"""What the vendor's compiler takes and g++ refuses: rewritten in place, line by line."""

import re
from pathlib import Path

from akgen.tools.twin.kernel import sides
from akgen.tools.twin.kernel.dialect import initialise, portable, unset_members
from akgen.tools.twin.kernel.sides import Side, names_cube, sides_of, works
from akgen.tools.twin.precompiled import DEVICE_INCLUDE

SPECIAL = """
struct Kernel {
    template <int32_t CORE_TYPE = g_coreType>
    __forceinline__ [aicore]
    void operator()(int const &p);
    template <>
    __forceinline__ [aicore]
    void operator()<AscendC::AIC>(int const &p) { a = p; }
    int a;
    template <class T> struct Part { using type = T; };
    template <> struct Part<void> { using type = int; };
};
"""


def test_the_attribute_becomes_the_mark_and_subscripts_stay():
    text = portable("__forceinline__ [aicore] int f(int *x) { return x[aicore] + y[host]; }")
    assert text.split() == [
        "__forceinline__",
        "AKGEN_DEVICE",
        "int",
        "f(int",
        "*x)",
        "{",
        "return",
        "x[aicore]",
        "+",
        "y[host];",
        "}",
    ]
    assert portable("#define D __forceinline__ [host, aicore]\n").split() == [
        "#define",
        "D",
        "__forceinline__",
        "AKGEN_DEVICE",
    ]
    assert "aicore" not in portable("auto f = [](int x) __aicore__ { return x; };\n")


def test_specialisations_in_a_class_compile(probe):
    source = (
        '#include "kernel_operator.h"\n'
        + SPECIAL
        + """
extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    if ASCEND_IS_AIC {
        Kernel k;
        k(3);
        Kernel::Part<void>::type n = k.a;
        AscendC::CrossCoreSetFlag<0, PIPE_FIX>(n);
    }
}
"""
    )
    built = probe.build(source)
    assert built.library is not None, built.diagnostics


def test_lines_stay_where_they_are():
    assert portable(SPECIAL).count("\n") == SPECIAL.count("\n")
    assert "template <class T, typename AKGEN_ANY = void> struct Part {" in portable(SPECIAL)


def test_members_that_constructors_assign_are_initialised(tmp_path: Path):
    file = tmp_path / "k.cpp"
    file.write_text("struct C {\n    int idx[RANK];\n};\n")
    said = (
        "k.cpp:1:5: error: member ‘C<2>::idx’ must be initialized by mem-initializer in ‘constexpr’ constructor\n"
        "k.cpp:2:9: note: declared here\n"
    )
    assert unset_members(said) == [("k.cpp", 2, "idx")]
    assert initialise(file, 2, "idx")
    assert file.read_text() == "struct C {\n    int idx[RANK]{};\n};\n"
    assert not initialise(file, 1, "idx")


def test_arrays_in_on_chip_memories_become_references():
    text = portable(
        "__ubuf__ half a[2 *\n n];\n__cc__ float c[16];\nvoid f(__ubuf__ half *p, __ubuf__ half q[4]);"
    )
    assert text.count("\n") == 3
    assert "auto &a = AscendC::detail::static_array<half, (2 * n)>(AscendC::TPosition::VECCALC, 0u);" in text
    assert "auto &c = AscendC::detail::static_array<float, (16)>(AscendC::TPosition::CO1," in text
    assert text.endswith("void f(__ubuf__ half *p, __ubuf__ half q[4]);")


def test_vector_kernels_are_compiled_once():
    assert sides_of("Add(z, x, y, 8); if (g_coreType == AIC) return;") == (Side.VECTOR,)
    assert not names_cube("Add(z, x, y, 8);")
    assert sides_of("AscendC::Mmad(c, a, b, p);") == (Side.CUBE, Side.VECTOR)
    assert sides_of("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); if ASCEND_IS_AIV {}") == (
        Side.CUBE,
        Side.VECTOR,
    )


def test_what_a_program_calls_says_where_it_runs():
    entry = "_ZN5akgen4twin{}".format
    setup = frozenset([entry("10pipe_beginEPv"), entry("9block_idxEv")])
    assert not works(setup, Side.CUBE)
    cube = setup | {entry("8multiplyENS0_4ViewE"), entry("8set_flagENS0_4PipeE")}
    assert works(cube, Side.CUBE)
    assert not works(cube, Side.VECTOR)
    assert works(cube | {entry("12vector_countENS0_5VecOpE")}, Side.VECTOR)


def test_every_entry_point_that_both_cores_have_is_known_as_such():
    """Else a kernel of the cube unit alone would run on vector cores, too."""
    names = set()
    for header in ("copy", "debug", "runtime", "sync"):
        text = (DEVICE_INCLUDE / "akgen" / f"{header}.h").read_text()
        names |= set(re.findall(r"AKGEN_API [\w: *]+?\*?\b(\w+)\(", text))
    assert names - sides._IDLE - sides._COMMON == {"copy_repeats"}  # Copy is the vector unit's
