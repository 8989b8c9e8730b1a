"""Make and change expressions of Python."""

import ast


def substituted(tree: ast.expr, values: dict[str, ast.expr], *, indexed: bool = True) -> ast.expr:
    """Return a copy of the tree with names replaced; without `indexed`, names with an index of their own stay."""

    class Put(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
            if indexed:
                return self.generic_visit(node)
            named = isinstance(node.value, ast.Name)
            return node if named else ast.Subscript(self.visit(node.value), node.slice)

        def visit_Call(self, node: ast.Call) -> ast.expr:
            node.args = [self.visit(a) for a in node.args]
            node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
            return node

        def visit_Name(self, node: ast.Name) -> ast.expr:
            return values.get(node.id, node)

    copied = ast.parse(ast.unparse(ast.fix_missing_locations(tree)), mode="eval").body
    return ast.fix_missing_locations(Put().visit(copied))  # type: ignore[no-any-return]


def number_of(text: str) -> int | float:
    if text.startswith("0x"):
        return int(text, 16)
    return int(text) if text.isdigit() else float(text)


def power(left: ast.expr, right: ast.expr) -> ast.expr:
    if isinstance(left, ast.Name) and left.id == "e":
        return call("torch.exp", right)
    return ast.BinOp(left, ast.Pow(), right)


def transposed(tree: ast.expr) -> ast.expr:
    return ast.Call(
        ast.parse("torch.transpose", mode="eval").body, [tree, ast.Constant(-1), ast.Constant(-2)], []
    )


def turned(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Call) and ast.unparse(tree.func) == "torch.transpose"


def call(path: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.parse(path, mode="eval").body, list(arguments), [])


def names_of(tree: ast.expr) -> list[str]:
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    named = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in called and n.id != "torch"]
    return list(dict.fromkeys(n.id for n in named))


def with_axes(tree: ast.expr, places: tuple[int | None, ...]) -> ast.expr:
    """Return a tensor with axes of one element where there is no place: (0, None) of s is s[:, None]."""
    index = ", ".join("None" if place is None else ":" for place in places)
    subscript = ast.parse(f"x[{index}]", mode="eval").body
    assert isinstance(subscript, ast.Subscript)
    subscript.value = tree
    return subscript


def root(value: ast.expr) -> ast.expr:
    """Return a root, that of a number as a number: "√(2/π)"."""
    if isinstance(value, ast.Constant) and isinstance(value.value, int | float) and value.value >= 0:
        return ast.Constant(value.value**0.5)
    return call("torch.sqrt", value)
