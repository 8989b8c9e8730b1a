"""Turn a verdict into the text that the coder reads: findings with causes and remedies, mismatches explained."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from akgen.agents.prompts import render
from akgen.knowledge.cards import ApiCard, cards, nearest
from akgen.knowledge.errors import entry
from akgen.knowledge.hints import hint_of, outcome_meanings
from akgen.knowledge.search import search
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.verdict import CaseVerdict, Verdict

SHOWN_FINDINGS = 8  # the first cause matters; the rest are its echoes
SHOWN_MISMATCHES = 3
SHOWN_CARDS = 3
_OF_CALLS = ("UNKNOWN_API", "WRONG_ARITY", "WRONG_ARGUMENTS", "DTYPE_UNSUPPORTED")
MISMATCH = "OUTPUT_MISMATCH"  # the judge's code for differing numbers
_NAMED = re.compile(r"(?:^|['‘`\"])(?:AscendC::)?([A-Za-z_]\w{2,})(?=['’`\":(<])", re.M)


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
        mismatches=_once([_mismatch(case) for case in differing[:SHOWN_MISMATCHES]], "meaning", "remedy"),
        passed=[case.id for case in verdict.cases if case.outcome is Outcome.CORRECT][:SHOWN_FINDINGS]
        if verdict.outcome is not Outcome.CORRECT
        else [],
        advice=advice,
    )


def _once(told: list[dict[str, Any]], *parts: str) -> list[dict[str, Any]]:
    """Leave out these parts where an earlier entry says them in the same words: what they take is room for code."""
    said: set[str | None] = set()
    for one in told:
        for part in parts:
            text = one[part]
            one[part] = None if text in said else text
            said.add(text)
    return told


def compiler_words(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the errors of a compile as the compiler said them: no code of ours, no cause, no remedy."""
    return tuple(
        Diagnostic(code="COMPILE_ERROR", text=d.said or d.text, file=d.file, line=d.line, stage="compile")
        for d in found
        if d.stage == "compile" and d.severity == "error"
    )


def explain_barely(verdict: Verdict, found: Sequence[Diagnostic]) -> str:
    """Write what a compiler and a failed run say by themselves: these errors, the outcome, which cases differ."""
    failed = [case.id for case in verdict.cases if case.outcome is not Outcome.CORRECT]
    return render(
        "feedback_barely", outcome=verdict.outcome.value, found=found, failed=failed[:SHOWN_FINDINGS]
    )


def _distinct(verdict: Verdict) -> list[Diagnostic]:
    """Return errors before warnings, each code at each place once.

    What the judge says of a mismatch is left out: the mismatch itself is explained, with the same numbers.
    """
    once = list({(d.code, d.file, d.line): d for d in reversed(verdict.findings)}.values())[::-1]
    explained = any(case.mismatch is not None for case in verdict.cases)
    once = [d for d in once if not (explained and d.code == MISMATCH)]
    return sorted(once, key=lambda d: d.severity != "error")


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    found = entry(diagnostic.code)
    known = None if found is None else found.meant(diagnostic.text, diagnostic.api)
    place = f"{diagnostic.file}:{diagnostic.line}" if diagnostic.file and diagnostic.line else diagnostic.file
    return {
        "code": diagnostic.code,
        "place": place,
        "api": diagnostic.api,
        "text": diagnostic.text,
        "cause": known.cause if known else None,
        "remedy": diagnostic.remedy or (known.remedy if known else None),
        "cards": _cards(diagnostic) if diagnostic.code in _OF_CALLS or _unknown(diagnostic) else (),
    }


def _cards(diagnostic: Diagnostic) -> tuple[ApiCard, ...]:
    """Return the card of the interface that a compiler's finding names, or those nearest to an invented one.

    Nearest is what the finding itself proposes, then by spelling (AddSum, Adds) and by the words in the name
    (VecReduceAdd, ReduceSum). A card whose signature the remedy gives already is left out.
    """
    table = cards()
    names = ([diagnostic.api] if diagnostic.api else []) + _NAMED.findall(diagnostic.text)
    if not _unknown(diagnostic):
        known = next((table[name] for name in names if name in table), None)
        return (known,) if known is not None and known.signatures[0] not in (diagnostic.remedy or "") else ()
    invented = next((name for name in names if name[0].isupper()), None)
    meant = re.search(r"did you mean (\w+)", diagnostic.text)
    if invented is None:
        return ()
    by_words = [table[hit.name] for hit in search(invented, 6) if hit.kind == "api"]
    proposed = (table[meant[1]],) if meant is not None and meant[1] in table else ()
    spelt = nearest(invented, 2)
    close = {card.name: card for card in (*proposed, *spelt[:1], *by_words[:2], *spelt[1:])}
    return tuple(close.values())[:SHOWN_CARDS]


def _unknown(diagnostic: Diagnostic) -> bool:
    """Say whether a name was used that does not exist: our finding, or the text of another compiler."""
    unexplained = diagnostic.stage == "compile" and diagnostic.remedy is None
    return diagnostic.code == "UNKNOWN_API" or (unexplained and "declared" in diagnostic.text)


def _mismatch(case: CaseVerdict) -> dict[str, Any]:
    assert case.mismatch is not None
    hint = hint_of(case.mismatch.pattern, case.mismatch.cause)
    return {
        "case": case.id,
        "mismatch": case.mismatch,
        "used": case.max_used,
        "bound": case.max_bound,
        "meaning": hint.meaning,
        "remedy": hint.remedy,
    }
