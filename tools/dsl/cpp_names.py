"""C++ names for DSL names: camelCase, no keywords, no two alike."""

_TAKEN = (
    "alignas alignof and asm auto bool break case catch char class compl const constexpr continue decltype default "
    "delete do double else enum explicit export extern false float for friend goto half if inline int long mutable "
    "namespace new not operator or private protected public register return short signed sizeof static struct switch "
    "template this throw true try typedef typeid typename union unsigned using virtual void volatile while xor "
    "int4b pipe tiling tilingData min max abs exp sqrt log pow sin cos tanh printf assert"
)


def camel(name: str) -> str:
    """Return snake_case as camelCase."""
    head, *rest = [p for p in name.split("_") if p] or ["value"]
    return head[:1].lower() + head[1:] + "".join(p[:1].upper() + p[1:] for p in rest)


def pascal(name: str) -> str:
    """Return snake_case as PascalCase."""
    text = camel(name)
    return text[:1].upper() + text[1:]


class Names:
    """Unique C++ names, given out in the order of first use."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}
        self.used: set[str] = set(_TAKEN.split())

    def of(self, key: str, wish: str | None = None) -> str:
        """Return the name for a key; `wish` (default: the key in camelCase) is what it should look like."""
        if key not in self.given:
            base = wish or camel(key)
            name, n = base, 2
            while name in self.used:
                name, n = (f"{base}{n}" if not base.endswith("_") else f"{base[:-1]}{n}_"), n + 1
            self.used.add(name)
            self.given[key] = name
        return self.given[key]
