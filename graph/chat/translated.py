"""What the machine's stages write, in the person's language: lines and words are data beside this file.

The stages write English, for models and for files. A line that no pattern knows stays as it is; findings are translated
by their code (`knowledge/data/errors_zh.json`), with the original text after the translated sentence.
"""

import json
import re
from functools import cache
from importlib.resources import files

from akgen.agents.requests.language import Language
from akgen.graph.store.records import Event
from akgen.knowledge.errors import chinese
from akgen.tools.core.outcome import Diagnostic


def translated(text: str, language: Language) -> str:
    """Return a line of the machine in the language; English, and what is not known, as it is."""
    if language is Language.ENGLISH:
        return text
    plain = text.strip()
    if plain in _words():
        return _words()[plain]
    for pattern, template in _lines():
        match = pattern.fullmatch(plain)
        if match is not None:
            return template.format(*(translated(group or "", language) for group in match.groups()))
    for separator, joint in (("; ", "；"), (", ", "，")):
        if separator in plain:
            parts = [translated(part, language) for part in plain.split(separator)]
            if parts != plain.split(separator):
                return joint.join(parts)
    return text


def of_event(event: Event, language: Language) -> Event:
    """Return an event with its text in the language."""
    if language is Language.ENGLISH or event.text is None:
        return event
    return event.model_copy(update={"text": translated(event.text, language)})


def of_finding(found: Diagnostic, language: Language) -> Diagnostic:
    """Return a finding with its sentence and remedy in the language; the compiler's own words stay behind it."""
    known = chinese(found.code) if language is Language.CHINESE else None
    if known is None:
        return found
    return found.model_copy(update={"text": f"{known.sentence}（{found.text}）", "remedy": known.remedy})


@cache
def _data() -> tuple[dict[str, str], list[tuple[str, str]]]:
    read = json.loads(files("akgen.graph.chat").joinpath("lines.json").read_text(encoding="utf-8"))
    return read["words"], read["lines"]


def _words() -> dict[str, str]:
    return _data()[0]


@cache
def _lines() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), template) for pattern, template in _data()[1])
