"""Judge a case: launch its kernel on the hidden inputs of each trial and compare its files with the expected ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from akgen.tools.core.call import FEW_LAUNCHES, SMALL_CALL, Argument, Call, Poison, TensorFile
from akgen.tools.core.outcome import AfterCandidate, Diagnostic, InputError, Outcome
from akgen.tools.core.task import Case, Task
from akgen.tools.core.toolchain import Build, Launch, RunOptions, Toolchain
from akgen.tools.core.verdict import CaseVerdict, Mismatch
from akgen.tools.judge import outputs, policy, raw, tolerance
from akgen.tools.judge.causes.evidence import WHOLE, Evidence, Tensor, arguments, read
from akgen.tools.judge.compare import Comparison, Mask
from akgen.tools.judge.outputs import Element, Place, compare_pairs, pairs
from akgen.tools.judge.trials import Prepared, TrialFiles, TrialPlan
from akgen.tools.reference.client import ReferenceWorker, SampleFiles

# Causes that say less than which operation of the reference was done otherwise would.
VAGUE = frozenset({
    "unknown", "precision", "formula", "constant_along", "scaled", "offset", "branch", "function", "lanes", "one_index",
    "part", "border", "row", "tail", "block_edge",
})  # fmt: skip
MOST_EXAMINED = 2  # accepted outputs of a verdict: what a kernel leaves out, it leaves out everywhere
MOST_EXPLAINED = 2  # cases of a verdict: the others fail for the same reason, mostly
_MOST_BEFORE_S = 3.0  # of processor time, for launches whose outputs nobody reads
_LARGEST_REMEMBERED = 1 << 26  # bytes of an output whose digest is kept for the next trial


@dataclass(frozen=True)
class KernelUnderTest:
    """What is being judged, and with what."""

    toolchain: Toolchain
    reference: ReferenceWorker
    build: Build
    task: Task
    timeout_s: float
    explained: list[str] = field(
        default_factory=list
    )  # cases whose wrong output the reference was asked about
    examined: list[str] = field(default_factory=list)  # cases whose accepted output it was asked about
    relaunched: list[str] = field(default_factory=list)  # cases that were launched after another launch


@dataclass
class TrialResult:
    """What one trial showed."""

    outcome: Outcome
    launch: Launch
    diagnostics: list[Diagnostic] = field(default_factory=list)
    compared: list[Comparison] = field(default_factory=list)  # none where it did not come so far
    own_verdict: str | None = None
    own_checked: bool = False  # the task's own checker was asked
    digests: dict[Place, str] = field(default_factory=dict)  # of outputs
    held: dict[Place, Mask] = field(
        default_factory=dict
    )  # what holds the poison, in outputs where something does
    expected: dict[Place, Tensor] = field(
        default_factory=dict
    )  # small outputs, for the next trial to compare with

    @property
    def mismatch(self) -> Mismatch | None:
        """Return the first output's that is not as it should be."""
        return next((c.mismatch for c in self.compared if c.mismatch is not None), None)


def run_case(
    candidate: KernelUnderTest,
    case: Case,
    plans: Sequence[TrialPlan],
    files: TrialFiles,
    *,
    trace: bool,
    what_if: bool = False,
    again: bool = True,
    last: bool = False,
) -> CaseVerdict:
    """Run trials until one fails. With `again`, the first is launched twice if there are several.

    One case of a verdict, a small one or the `last`, is launched on a second trial's inputs after the first one's.
    """
    results: list[TrialResult] = []
    previous: TrialResult | None = None
    for plan in plans:
        with files.of(case, plan, keep=plan.number == 0 and len(plans) > 1) as prepared:
            first = plan.number == 0
            small = prepared.trial.call.size_bytes <= SMALL_CALL
            before: Call | None = None
            if plan.number == 1 and files.before is not None and (small or last) and not candidate.relaunched:
                before = files.before.trial.call
                candidate.relaunched.append(case.id)
            result = run_trial(
                candidate,
                case,
                plan,
                prepared,
                previous,
                again=again and first and len(plans) > 1,
                trace=trace and first,
                what_if=what_if and first,
                before=before,
                times=affordable(plan.launches_before, previous),
            )
        results.append(result)
        previous = result
        if result.outcome != Outcome.CORRECT:
            break
    return _fold(case, results)


def affordable(launches: int, previous: TrialResult | None) -> int:
    """Return how many launches come before one, from what the case's launch before took; few where that is long."""
    took = previous.launch.cpu_s if previous is not None else None
    long = took is not None and took * launches > _MOST_BEFORE_S
    return 1 + (launches - 1) % FEW_LAUNCHES if long else launches


def time_limit(timeout_s: float, launches: int) -> float:
    """Return the limit, in seconds, of a launch that comes after so many others in one process.

    Each may take as long as one alone; where more than a few come, all of them are short (see `affordable`).
    """
    return timeout_s * (1 + min(launches, FEW_LAUNCHES))


def _fold(case: Case, results: list[TrialResult]) -> CaseVerdict:
    first = results[0].launch
    compared = [c for r in results for c in r.compared]
    asked = any(r.own_checked for r in results)
    return CaseVerdict(
        id=case.id,
        outcome=policy.worst(r.outcome for r in results),
        trials=len(results),
        max_abs=_largest([c.max_abs for c in compared]),
        max_rel=_largest([c.max_rel for c in compared]),
        max_bound=max((c.max_bound for c in compared if c.max_bound is not None), default=None),
        # Where the task's own checker decides, our tolerance is not what is allowed.
        max_used=max((c.max_used for c in compared if c.max_used is not None and not asked), default=None),
        time_us=first.time_us,
        time_source=first.time_source,
        measured_by=first.measured_by,
        device=first.device,
        interval_us=first.interval_us,
        mismatch=next((r.mismatch for r in reversed(results) if r.mismatch is not None), None),
        own_checker=("fail" if any(r.own_verdict for r in results) else "pass") if asked else None,
        diagnostics=tuple({d.model_dump_json(): d for r in results for d in r.diagnostics}.values()),
        profile=first.profile,
    )


def _largest(errors: list[float | None]) -> float | None:
    """Return the largest error; None if there is none, or one of them could not be told."""
    known = [e for e in errors if e is not None]
    return max(known, default=None) if len(known) == len(errors) else None


def run_trial(
    candidate: KernelUnderTest,
    case: Case,
    plan: TrialPlan,
    prepared: Prepared,
    previous: TrialResult | None,
    *,
    again: bool,
    trace: bool,
    what_if: bool = False,
    before: Call | None = None,
    times: int = 1,
) -> TrialResult:
    """Launch once, or twice on the same inputs, and compare each launch.

    With the call `before`, the kernel's variables and workspace are as it left them when run so many
    `times`; the plan may let the last core run first. Where one of these makes the difference, the verdict says so.

    The second launch, with another poison, is made with `again` and where a right answer holds the poison's own values:
    an element that holds either poison was never written. `previous` is the trial before, to recognise answers that
    were kept from it.
    """
    limit_s = candidate.timeout_s
    usual = RunOptions(timeout_s=limit_s, poison=plan.poison)
    ordered = replace(usual, last_core_first=plan.last_core_first)
    alone = replace(ordered, trace=trace, what_if=what_if)

    def run(folder: str, options: RunOptions) -> Launch:
        return candidate.toolchain.run(
            candidate.build, prepared.trial.call, prepared.candidate / folder, options
        )

    after = replace(alone, before=before, times=times, timeout_s=time_limit(limit_s, times))
    launch = run("run", alone if before is None else after)
    result = _judge_launch(candidate, case, plan, prepared, previous, launch)
    if before is not None and result.outcome != Outcome.CORRECT:
        single = _judge_launch(candidate, case, plan, prepared, previous, run("alone", alone))
        if single.outcome == Outcome.CORRECT:
            result.diagnostics.insert(0, policy.first_launch_only())
            return result
        result = single
    if plan.last_core_first and result.outcome == Outcome.WRONG:
        in_order = _judge_launch(candidate, case, plan, prepared, previous, run("usual_order", usual))
        if in_order.outcome == Outcome.CORRECT:
            result.diagnostics.insert(0, policy.one_order_only())
        return result
    if result.outcome == Outcome.CORRECT and (again or result.held):
        other = plan._replace(poison=plan.poison.model_copy(update={"second": True}))
        second = run("again", replace(ordered, poison=other.poison))
        repeated = _judge_launch(candidate, case, other, prepared, None, second, result.held)
        if repeated.outcome != Outcome.CORRECT or not _same(launch, second, prepared.trial):
            repeated.launch = launch
            if not any(c.unwritten for c in repeated.compared):
                repeated.diagnostics.append(policy.nondeterministic(repeated.outcome))
            return repeated
    return result


def _judge_launch(
    candidate: KernelUnderTest,
    case: Case,
    plan: TrialPlan,
    prepared: Prepared,
    previous: TrialResult | None,
    launch: Launch,
    held: Mapping[Place, Mask] | None = None,
) -> TrialResult:
    """Judge what a launch left. `held` is of a launch before on the same inputs, with another poison."""
    result = TrialResult(Outcome.CORRECT, launch, list(launch.diagnostics))
    if policy.attempted(launch.diagnostics):
        result.outcome = Outcome.CHEAT
        return result
    if launch.outcome is not None:
        result.outcome = launch.outcome
        return result
    if any(d.severity == "error" for d in launch.diagnostics):
        result.outcome = Outcome.TRAP
        return result
    with AfterCandidate():
        ask = partial(_ask_reference, candidate, case, plan)
        choose = partial(_choose, candidate, case, plan, prepared)
        compared = _compare_all(
            candidate.task, prepared, launch, previous, result, plan.poison, held, ask, choose
        )
    own_checker = candidate.task.own_checker
    if not compared and not own_checker:
        raise InputError(
            f"Task {candidate.task.name}, case {case.id}: the reference gives no output to compare with.",
            "Return at least one tensor from Model.forward.",
        )
    if own_checker and not any(c.malformed for c in compared):
        result.own_checked = True
        with AfterCandidate():
            result.own_verdict = candidate.reference.check(
                candidate.task.reference, case, plan.seed, plan.distribution, launch.outputs
            )
    result.outcome = policy.decide(compared, result.own_verdict, has_own_checker=own_checker)
    if result.outcome == Outcome.WRONG:
        result.diagnostics[:] = policy.blame(result.diagnostics)
    if result.own_verdict is not None:
        text = f"{result.own_verdict.rstrip('.')}."
        result.diagnostics.append(
            Diagnostic(code="OWN_CHECKER", text=text, remedy="Come closer to the reference.", stage="test")
        )
    least_us = policy.floor_us(prepared.trial.call, candidate.task.category, prepared.trial.bytes_read)
    claimed_us = _working_us(launch) if result.outcome == Outcome.CORRECT else None
    if claimed_us is not None and claimed_us < least_us:
        result.outcome = Outcome.CHEAT
        result.diagnostics.append(policy.too_fast(claimed_us, least_us))
    if result.outcome == Outcome.CORRECT:
        computes = policy.computes(candidate.task.category)
        with AfterCandidate():
            idle = outputs.too_little(prepared.trial, launch, computes=computes)
            idle = idle or outputs.from_table(prepared.trial, launch)
        if idle is not None:
            result.outcome = Outcome.CHEAT
            result.diagnostics.append(idle)
    if result.outcome == Outcome.CORRECT and not own_checker and plan.number == 0 and held is None:
        with AfterCandidate():
            other = _other_formula(candidate, case, plan, prepared, launch, result.compared)
        if other is not None:
            result.outcome = Outcome.WRONG
            result.diagnostics.append(other)
    return result


def _working_us(launch: Launch) -> float | None:
    """Return the time of a launch without what passes before its first instruction."""
    start = launch.profile.start_us if launch.profile is not None else None
    return launch.time_us if launch.time_us is None or start is None else launch.time_us - start


def _compare_all(
    task: Task,
    prepared: Prepared,
    launch: Launch,
    previous: TrialResult | None,
    result: TrialResult,
    poison: Poison,
    held: Mapping[Place, Mask] | None,
    ask: Callable[[Mismatch, TensorFile], Mismatch],
    choose: Callable[[Sequence[TensorFile]], SampleFiles],
) -> list[Comparison]:
    """Compare every output that the reference has; note what was found in `result`.

    What differs by its choice of places is compared again with what is expected of that choice.
    """
    trial, found = prepared.trial, result.compared
    before = previous or TrialResult(Outcome.CORRECT, launch)
    compared = pairs(trial, launch)
    against = partial(compare_pairs, task=task, kept=before.digests, poison=poison.outputs(), held=held)
    found += against(trial, compared)
    chose = trial.gives_places and not task.own_checker and any(c.mismatch for c in found)
    if chose and not any(c.malformed for c in found):
        trial = choose([got for _, (got, *_) in compared if got is not None])
        compared = pairs(trial, launch)
        found[:] = against(trial, compared)
    for (place, (g, w, _, _)), one in zip(compared, found, strict=True):
        if one.held is not None:
            result.held[place] = one.held
        if g is not None and g.path.is_file() and g.size_bytes <= _LARGEST_REMEMBERED:
            result.digests[place] = raw.digest(g.path)
        if w.count <= WHOLE // 4:
            result.expected[place] = read(w, copy=True)
    first = next((n for n, c in enumerate(found) if c.mismatch is not None), None)
    if first is not None:
        bounds = trial.bounds_of(*compared[first][0])
        found[first] = _with_cause(
            found[first], compared[first], bounds, compared, task, trial.call.inputs, before
        )
        given, differs = compared[first][1][0], found[first].mismatch
        whole = compared[first][0][1] == 0  # not one of a list behind its first
        if given is not None and whole and differs is not None and differs.cause in VAGUE:
            found[first] = replace(found[first], mismatch=ask(differs, given))
    if result.mismatch is not None:
        result.diagnostics.append(policy.mismatch_found(result.mismatch, warning=task.own_checker))
    found[:] = [replace(c, wrong=None, held=None) for c in found]  # a mask is as large as its output
    return found


def _choose(
    candidate: KernelUnderTest, case: Case, plan: TrialPlan, prepared: Prepared, got: Sequence[TensorFile]
) -> SampleFiles:
    """Return what is expected of a candidate with these outputs, where its places are as good as the reference's."""
    reference, folder = candidate.task.reference, prepared.expected / "chosen"
    seed, distribution = plan.seed, plan.distribution
    return candidate.reference.choose(reference, case, seed, distribution, got, prepared.trial, folder)


def _ask_reference(
    candidate: KernelUnderTest, case: Case, plan: TrialPlan, mismatch: Mismatch, got: TensorFile
) -> Mismatch:
    """Name the operation of the reference that was done otherwise, where one alone gives this output."""
    if len(candidate.explained) >= MOST_EXPLAINED:
        return mismatch
    candidate.explained.append(case.id)
    rule = tolerance.rule_for(got.dtype, candidate.task.tolerances)
    try:
        found = candidate.reference.explain(
            candidate.task.reference,
            case,
            plan.seed,
            plan.distribution,
            got,
            mismatch.output,
            (rule.atol, rule.rtol, rule.literal),
        )
    except InputError:  # a reference that cannot run again explains nothing
        found = None
    if found is None:
        return mismatch
    what = f"{found.what}, in `{found.line}`" if found.line else found.what
    evidence = "the reference with this one change gives the same output"
    return Mismatch.model_validate(
        {**mismatch.model_dump(), "cause": found.cause, "what": what, "evidence": evidence}
    )


def _other_formula(
    candidate: KernelUnderTest,
    case: Case,
    plan: TrialPlan,
    prepared: Prepared,
    launch: Launch,
    compared: Sequence[Comparison],
) -> Diagnostic | None:
    """Say that an accepted output has the numbers of another formula, where more than rounding lies between."""
    for (place, (got, *_)), one in zip(pairs(prepared.trial, launch), compared, strict=True):
        if not one.beyond_rounding or got is None or place[1] or len(candidate.examined) >= MOST_EXAMINED:
            continue
        candidate.examined.append(case.id)
        task = candidate.task.reference
        try:
            found = candidate.reference.explain(task, case, plan.seed, plan.distribution, got, place[0])
        except InputError:
            found = None
        if found is not None:
            return policy.other_formula(place[0], found.what, found.line)
    return None


def _with_cause(
    found: Comparison,
    own: tuple[Place, Element],
    bounds: TensorFile | None,
    compared: list[tuple[Place, Element]],
    task: Task,
    inputs: Sequence[Argument],
    before: TrialResult,
) -> Comparison:
    """Name why an output differs, from the values of this trial and those that the one before expected."""
    from akgen.tools.judge.causes.diagnose import named  # only where an output is wrong

    place, (got, want, _, meta) = own
    if found.mismatch is None or found.wrong is None or got is None:
        return found
    evidence = Evidence(
        got=read(got),
        want=read(want),
        wrong=found.wrong,
        rule=tolerance.rule_for(meta.dtype, task.tolerances),
        bounds=None if bounds is None else raw.load(bounds),
        inputs=arguments(inputs),
        before=before.expected.get(place),
        others=[(other[0], read(w)) for other, (_, w, _, _) in compared if other != place],
    )
    return replace(found, mismatch=named(found.mismatch, evidence))


def _same(first: Launch, second: Launch, trial: SampleFiles) -> bool:
    """Compare two launches' outputs bit by bit, as far as something is expected there."""
    return all(
        raw.same(a.path, b.path) for a, b in zip(_flat(first, trial), _flat(second, trial), strict=True)
    )


def _flat(launch: Launch, trial: SampleFiles) -> list[TensorFile]:
    asked = [o for o, want in zip(launch.outputs, trial.expected, strict=False) if want is not None]
    return [t for o in asked for t in (o if isinstance(o, tuple) else (o,))]
