"""Which tiling struct a kernel reads for a key: the preprocessor decides, with the operators of conditions."""

from akgen.tools.twin.kernel.kernel_prelude import plain_structs

TEXT = """
REGISTER_TILING_DEFAULT(optiling::Plain);
REGISTER_TILING_FOR_TILINGKEY("(TILING_KEY_VAR >= 10) && (TILING_KEY_VAR <= 0xFu)", optiling::Range);
REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR & 0xFF", Low);
REGISTER_TILING_FOR_TILINGKEY("system(1)", Odd);
"""


def test_conditions_become_the_preprocessors() -> None:
    assert plain_structs(TEXT) == [
        "#if (TILING_KEY_VAR >= 10) && (TILING_KEY_VAR <= 0xFu)",
        "#define AKGEN_TILING_STRUCT optiling::Range",
        "#elif TILING_KEY_VAR & 0xFF",
        "#define AKGEN_TILING_STRUCT Low",
        "#else",
        "#define AKGEN_TILING_STRUCT optiling::Plain",
        "#endif",
    ]
    assert plain_structs("REGISTER_TILING_DEFAULT(T)") == ["#define AKGEN_TILING_STRUCT T"]
    assert plain_structs("") == []
