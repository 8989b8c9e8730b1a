"""Count what makes a house slow to read: `make metrics`, or `metrics.py --root OLD_CHECKOUT` for a table before/after.

Modules are those of the package (tests and the tasks' references left out). What each row means stands in `ROWS`.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
ROOMS = ("finetune", "bench", "graph", "agents", "tools", "knowledge")
ROWS = {
    "modules": "Python modules of the package",
    "single_importer_modules": "modules that exactly one other module imports",
    "fragments": "of these, modules that fit into their importer, which then has no more than 250 lines",
    "class_names_used_twice": "names that classes of two or more modules bear",
    "dependency_containers": "classes that carry dependencies or settings from `akgen solve` to a node of the graph",
    "headers_by_hand": "header files in the repository",
    "readme_lines": "lines of README.md",
    "files_entered": "files of the package in which `akgen solve softmax_rows` calls a function (main process)",
    "help_cpu_s": "processor seconds of `akgen --help`",
    "solve_cpu_s": "processor seconds of `akgen solve softmax_rows`, all its processes, caches warm",
}
_SPINE = ("run", "runs", "solve", "deps", "context", "machine", "nodes", "decide", "step", "workbench")
_TRACER = """
import atexit, os, sys
entered, main = set(), os.getpid()
def _profile(frame, event, arg):
    # a function; neither a module, nor a class body, nor a comprehension, which runs where it stands
    if event == "call" and frame.f_code.co_flags & 1 and frame.f_code.co_name[0] != "<":
        entered.add(frame.f_code.co_filename)
import threading
threading.setprofile(_profile)
sys.setprofile(_profile)
def _write():
    sys.setprofile(None)
    if os.getpid() == main:
        open(sys.argv[-1] + ".entered", "w").write("\\n".join(sorted(entered)))
atexit.register(_write)
out = sys.argv.pop(1)
from akgen.cli import main as run
sys.argv = ["akgen", "solve", "softmax_rows", "--out", out]
run()
"""


def modules(root: Path) -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    found = {}
    for base, prefix in (*((root / room, root) for room in ROOMS), (root / "src" / "akgen", root / "src")):
        for path in sorted(base.rglob("*.py")):
            parts = path.relative_to(prefix).with_suffix("").parts
            if "tasks" in parts or (prefix != root and parts[1] in ROOMS):
                continue
            name = ".".join(parts if prefix != root else ("akgen", *parts))
            found[name.removesuffix(".__init__")] = path
    return found


def imported(tree: ast.Module, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of the package that a module imports, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in known or node.module in known:
                    yield full if full in known else node.module


def single_importers(root: Path) -> list[str]:
    """Return `module <- its one importer` for every module that only one other imports."""
    known, importers = modules(root), defaultdict(set)
    for name, path in known.items():
        for module in imported(ast.parse(path.read_text()), known):
            if module != name:
                importers[module].add(name)
    return [
        f"{name} <- {next(iter(importers[name]))}"
        for name, path in known.items()
        if len(importers[name]) == 1 and path.name != "__init__.py"
    ]


def fragments(root: Path) -> list[str]:
    """Return `module <- its one importer` where both together have no more lines than a file of one subject."""
    lines = {name: len(path.read_text().splitlines()) for name, path in modules(root).items()}
    return [pair for pair in single_importers(root) if sum(lines[n] for n in pair.split(" <- ")) <= 250]


def class_names_used_twice(root: Path) -> dict[str, list[str]]:
    """Return the class names that stand in two or more modules, with these modules."""
    where = defaultdict(set)
    for name, path in modules(root).items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                where[node.name].add(name)
    return {name: sorted(places) for name, places in sorted(where.items()) if len(places) > 1}


def dependency_containers(root: Path) -> list[str]:
    """Return the classes that functions between the command `solve` and the graph's nodes are handed.

    Looked at are the command, the team and the spine of `graph/`: parameters of their functions, and fields of the
    dataclasses that these are. Counted is a class with two or more fields (dataclass, pydantic model). Not counted are
    values of the work itself: what the graph's state holds (`graph/state.py`, with its parts), facts of `knowledge/`,
    and parts of a pydantic model, such as a configuration's budget.
    """
    places = [root / "src/akgen/commands/solve.py", root / "agents/team.py"]
    places += [root / "graph" / f"{stem}.py" for stem in _SPINE]
    way = [path for path in places if path.exists()]
    fields, models, facts = defaultdict(set), set(), set()
    for name, path in modules(root).items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                told = [n for n in node.body if isinstance(n, ast.AnnAssign)]
                bases = {ast.unparse(base) for base in node.bases}
                carries = any("dataclass" in ast.unparse(d) for d in node.decorator_list)
                if bases and not bases & {"Protocol", "StrEnum", "TypedDict"} and not carries:
                    models.add(node.name)
                if told and (bases or carries) and "Protocol" not in bases:
                    fields[node.name] |= {word for n in told for word in _names(n.annotation)} | {None}
                    if len(told) > 1:
                        fields[node.name].add("")
                if name.startswith("akgen.knowledge"):
                    facts.add(node.name)
    state = _reachable({"SampleState", "TaskState"}, fields)
    handed: set[str] = set()
    for path in way:
        tree = ast.parse(path.read_text())
        ours = {name.rpartition(".")[2] for name in _imported_names(tree)}
        ours |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                given = [*node.args.args, *node.args.kwonlyargs]
                handed |= {word for arg in given if arg.annotation for word in _names(arg.annotation) & ours}
    handed |= {word for name in handed - models for word in fields.get(name, ()) if word}
    parts = {word for name in handed & models for word in fields.get(name, ()) if word in models}
    return sorted(n for n in handed if "" in fields.get(n, ()) and n not in state | facts | parts)


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("akgen"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _names(annotation: ast.expr) -> set[str]:
    """Return the class names in an annotation, also in one that is text."""
    text = ast.unparse(annotation).replace("'", " ").replace('"', " ")
    return set(re.findall(r"\b[A-Z]\w+", text))


def _reachable(start: set[str], fields: dict[str, set[str]]) -> set[str]:
    """Return the classes that these hold in their fields, and so on."""
    found, todo = set(start), list(start)
    while todo:
        new = {word for word in fields.get(todo.pop(), ()) if word} - found
        found |= new
        todo += new
    return found


def headers_by_hand(root: Path) -> int:
    """Count the header files that git tracks."""
    listed = _output(["git", "-C", str(root), "ls-files", "*.h", "*.hpp"])
    return len(listed.splitlines())


def files_entered(root: Path) -> list[str]:
    """Solve softmax_rows and return the package's files in which the main process called a function."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "trace.py"
        script.write_text(_TRACER)
        out = Path(folder) / "runs"
        _output([_python(root), str(script), str(out)], cwd=root)
        names = (Path(folder) / "runs.entered").read_text().splitlines()
    paths = {Path(name).resolve() for name in names if name.endswith(".py")}
    inside = {path.relative_to(root).as_posix() for path in paths if root in path.parents}
    return sorted(name for name in inside if not name.startswith((".venv", "tests")))


def processor_seconds(root: Path, arguments: list[str]) -> float:
    """Run `akgen` with these arguments and return user and system time of all its processes."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _output([_python(root), "-m", "akgen", *arguments], cwd=root)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)


def measure(root: Path, *, run: bool) -> dict[str, float]:
    """Return every figure of a checkout; those that run the program only where asked for."""
    found: dict[str, float] = {
        "modules": len(modules(root)),
        "single_importer_modules": len(single_importers(root)),
        "fragments": len(fragments(root)),
        "class_names_used_twice": len(class_names_used_twice(root)),
        "dependency_containers": len(dependency_containers(root)),
        "headers_by_hand": headers_by_hand(root),
        "readme_lines": len((root / "README.md").read_text().splitlines()),
    }
    if run:
        with tempfile.TemporaryDirectory() as folder:
            solve = ["solve", "softmax_rows", "--out"]
            processor_seconds(root, [*solve, f"{folder}/first"])  # fills the caches
            found["files_entered"] = len(files_entered(root))
            found["help_cpu_s"] = processor_seconds(root, ["--help"])
            found["solve_cpu_s"] = processor_seconds(root, [*solve, f"{folder}/second"])
    return found


def _python(root: Path) -> str:
    own = root / ".venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def _output(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def main() -> None:
    """Print the figures, or the names behind one row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--root", type=Path, default=HERE, help="another checkout, with an environment of its own"
    )
    parser.add_argument("--static", action="store_true", help="leave out what runs the program")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--names",
        choices=("single", "fragments", "classes", "containers", "entered"),
        help="list what a row counts",
    )
    given = parser.parse_args()
    root = given.root.resolve()
    if given.names == "single":
        print("\n".join(single_importers(root)))
    elif given.names == "fragments":
        print("\n".join(fragments(root)))
    elif given.names == "classes":
        print(
            "\n".join(f"{name}: {', '.join(where)}" for name, where in class_names_used_twice(root).items())
        )
    elif given.names == "containers":
        print("\n".join(dependency_containers(root)))
    elif given.names == "entered":
        print("\n".join(files_entered(root)))
    else:
        found = measure(root, run=not given.static)
        if given.json:
            print(json.dumps(found))
            return
        for row, value in found.items():
            print(f"{value:>8g}  {row:<24} {ROWS[row]}")


if __name__ == "__main__":
    main()
