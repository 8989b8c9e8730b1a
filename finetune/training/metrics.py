"""What a trainer logs, as JSON lines, which a run that goes on continues, and as a picture."""

import json
from pathlib import Path
from typing import Any

from akgen.graph.store.files import write_whole
from akgen.tools.core.untrusted import read_json_lines

_WIDTH, _HEIGHT, _EDGE = 640, 240, 40
_COLOURS = ("#2563eb", "#d97706", "#059669", "#dc2626")
_DRAWN = ("loss", "reward", "rewards/margins", "mean_token_accuracy")


def metrics_file(file: Path) -> Any:
    """Return the trainer's callback that writes the file.

    It appends each log entry with its step; steps that are done again after a kill replace what was logged.
    """
    from transformers import TrainerCallback

    class MetricsFile(TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            del args, control, kwargs
            file.parent.mkdir(parents=True, exist_ok=True)
            kept = [row for row in read_metrics(file) if row["step"] <= state.global_step]
            write_whole(file, "".join(json.dumps(row) + "\n" for row in kept))

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            del args, control, kwargs
            numbers = {k: v for k, v in (logs or {}).items() if isinstance(v, int | float)}
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"step": state.global_step, **numbers}) + "\n")

    return MetricsFile()


def read_metrics(file: Path) -> list[dict[str, Any]]:
    """Return the entries of a file; none if there is no file."""
    return list(read_json_lines(file, "Delete the file.")) if file.is_file() else []


def draw_metrics(source: Path, target: Path) -> None:
    """Draw the course of the loss and of rewards over steps, each from its least to its largest."""
    rows = read_metrics(source)
    lines: list[str] = []
    for name in _DRAWN:
        points = [(row["step"], row[name]) for row in rows if name in row]
        if len(points) > 1:
            lines.append(_curve(name, points, _COLOURS[len(lines)], len(lines)))
    wide, tall = _WIDTH - _EDGE - 10, _HEIGHT - 50
    frame = f'<rect x="{_EDGE}" y="10" width="{wide}" height="{tall}" fill="none" stroke="#999"/>'
    size = f'width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" font-size="11"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    write_whole(target, "\n".join([head, frame, *lines, "</svg>"]) + "\n")


def _curve(name: str, points: list[tuple[int, float]], colour: str, number: int) -> str:
    low, high = min(v for _, v in points), max(v for _, v in points)
    last = max(s for s, _ in points)
    wide, tall = _WIDTH - _EDGE - 10, _HEIGHT - 50
    placed = " ".join(
        f"{_EDGE + wide * s / max(1, last):.1f},{10 + tall * (1 - (v - low) / ((high - low) or 1)):.1f}"
        for s, v in points
    )
    said = f"{name}: {points[0][1]:.3g} to {points[-1][1]:.3g}, steps 1 to {last}"
    text = f'<text x="{_EDGE + 160 * number}" y="{_HEIGHT - 20}" fill="{colour}">{said}</text>'
    return f'<polyline points="{placed}" fill="none" stroke="{colour}"/>{text}'
