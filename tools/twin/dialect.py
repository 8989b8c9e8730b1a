"""Rewrite what the vendor's compiler takes and other compilers refuse, line by line: attributes, specialisations."""

import re

# `[aicore]` is what __aicore__ stands for; sources that were preprocessed or generated carry it literally.
_ATTRIBUTE = re.compile(r"(?<![\w\])])\s?\[\s*(?:host\s*,\s*)?(?:aicore|host)\s*\]")
_WORDS = r"(?P<words>(?:\s|\w)*?\bvoid\s+(?:operator\s*\(\)|\w+)\s*)"
_SPECIAL = re.compile(
    r"template\s*<\s*>" + _WORDS + r"<\s*(?P<core>(?:AscendC\s*::\s*)?AI[CV])\s*>\s*\((?P<args>[^()]*)\)"
)
_PRIMARY = re.compile(
    r"template\s*<\s*(?P<param>\w+\s+\w+)\s*=\s*g_coreType\s*>" + _WORDS + r"\((?P<args>[^()]*)\)"
)


def portable(text: str) -> str:
    """Return the source for any C++17 compiler, with as many lines.

    A member function that is specialised for AIC and AIV within its class becomes overloads that exclude each other,
    and its primary template one that gives way to them: g++ before 14 has no specialisations in a class.
    """
    if "aicore" in text:
        text = _ATTRIBUTE.sub(lambda m: " " + "\n" * m[0].count("\n"), text)
    if "g_coreType" in text and _SPECIAL.search(text):
        text = _SPECIAL.sub(_overload, text)
        text = _PRIMARY.sub(_fallback, text)
    return text


def _overload(m: re.Match[str]) -> str:
    choice = f"std::enable_if_t<AKGEN_CORE == {m['core']}, int> = 0"
    return f"template <int AKGEN_CORE = g_coreType, {choice}>{m['words']}({m['args']})"


def _fallback(m: re.Match[str]) -> str:
    rest = f"{m['args']}, AKGEN_REST..." if m["args"].strip() else "AKGEN_REST..."
    return f"template <{m['param']} = g_coreType, typename... AKGEN_REST>{m['words']}({rest})"
