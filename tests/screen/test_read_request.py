"""What is typed in plain lines is one request: a line, a function with its body, or several lines of code."""

import pytest

from akgen.screen.plain import read_request


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (["relu 8x8", "gelu"], "relu 8x8"),
        (["def f(x, w): return torch.relu(x @ w)", "gelu"], "def f(x, w): return torch.relu(x @ w)"),
        (["def f(x):", "    return x * 2", "", "", "gelu"], "def f(x):\n    return x * 2\n\n"),
    ],
)
def test_code_ends_with_its_function_or_with_two_empty_lines(typed: list[str], read: str) -> None:
    lines = iter(typed)
    assert read_request(lambda more: next(lines, None)) == read
