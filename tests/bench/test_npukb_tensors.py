"""What the tasks' own checks are shown where the reference itself is infinite."""

import math

import torch

from akgen.bench.npukb.tensors import without_shared_nonfinite

INF, NAN = math.inf, math.nan


def test_the_same_infinities_and_nan_become_zeros_in_both() -> None:
    want, got = torch.tensor([1.0, INF, -INF, NAN]), torch.tensor([2.0, INF, -INF, NAN])
    a, b = without_shared_nonfinite([want], (got,))
    assert a[0].tolist() == [1.0, 0.0, 0.0, 0.0] and b[0].tolist() == [2.0, 0.0, 0.0, 0.0]


def test_others_stay_for_the_check_to_refuse() -> None:
    a, b = without_shared_nonfinite(torch.tensor([INF, 1.0, NAN]), torch.tensor([-INF, INF, 1.0]))
    assert a[0] == INF and b[0] == -INF and b[1] == INF and a[2].isnan()


def test_what_does_not_fit_stays_as_it_is() -> None:
    a, b = without_shared_nonfinite([torch.tensor([INF])], [torch.tensor([INF, INF])])
    assert a[0].tolist() == [INF] and b[0].tolist() == [INF, INF]
    integers = torch.tensor([1, 2])
    assert without_shared_nonfinite(integers, integers) == (integers, integers)
