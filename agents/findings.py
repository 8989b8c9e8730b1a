"""Turn a verdict into the text that the coder reads: findings with causes and remedies, mismatches explained."""

import re
from typing import Any

from akgen.agents.prompts import render
from akgen.knowledge.cards import ApiCard, cards, nearest
from akgen.knowledge.errors import entry
from akgen.knowledge.hints import mismatch_hints, outcome_meanings
from akgen.tools.outcome import Diagnostic, Outcome
from akgen.tools.verdict import CaseVerdict, Verdict

SHOWN_FINDINGS = 8  # the first cause matters; the rest are its echoes
SHOWN_MISMATCHES = 3
_QUOTED = re.compile(r"['‘`\"](?:AscendC::)?([A-Za-z_]\w{2,})")


def explain(verdict: Verdict, advice: tuple[str, ...] = ()) -> str:
    """Write the feedback for a verdict; its first line is the outcome."""
    found = _distinct(verdict)
    differing = [case for case in verdict.cases if case.mismatch is not None]
    return render(
        "feedback",
        outcome=verdict.outcome.value,
        meaning=outcome_meanings()[verdict.outcome.value],
        findings=[_finding(d) for d in found[:SHOWN_FINDINGS]],
        more_findings=max(0, len(found) - SHOWN_FINDINGS),
        mismatches=[_mismatch(case) for case in differing[:SHOWN_MISMATCHES]],
        passed=[case.id for case in verdict.cases if case.outcome is Outcome.CORRECT][:SHOWN_FINDINGS]
        if verdict.outcome is not Outcome.CORRECT
        else [],
        advice=advice,
    )


def _distinct(verdict: Verdict) -> list[Diagnostic]:
    """Return errors before warnings, each code at each place once."""
    every = [*verdict.diagnostics, *(d for case in verdict.cases for d in case.diagnostics)]
    once = list({(d.code, d.file, d.line): d for d in reversed(every)}.values())[::-1]
    return sorted(once, key=lambda d: d.severity != "error")


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    known = entry(diagnostic.code)
    place = f"{diagnostic.file}:{diagnostic.line}" if diagnostic.file and diagnostic.line else diagnostic.file
    return {
        "code": diagnostic.code,
        "place": place,
        "api": diagnostic.api,
        "text": diagnostic.text,
        "cause": known.cause if known else None,
        "remedy": diagnostic.remedy or (known.remedy if known else None),
        "cards": _cards(diagnostic) if diagnostic.stage == "compile" else (),
    }


def _cards(diagnostic: Diagnostic) -> tuple[ApiCard, ...]:
    """Return the card of the interface that a compiler message names, or those nearest to an invented one."""
    names = ([diagnostic.api] if diagnostic.api else []) + _QUOTED.findall(diagnostic.text)
    for name in names:
        if name in cards():
            return (cards()[name],)
    for name in names:
        close = nearest(name, count=2)
        if close and name[0].isupper():
            return close
    return ()


def _mismatch(case: CaseVerdict) -> dict[str, Any]:
    assert case.mismatch is not None
    hint = mismatch_hints()[case.mismatch.pattern]
    return {"case": case.id, "mismatch": case.mismatch, "meaning": hint.meaning, "remedy": hint.remedy}
