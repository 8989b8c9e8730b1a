"""Muon: orthogonal steps for hidden matrices, AdamW's for the rest, and a run that goes on as if it had not stopped."""

import pytest
import torch

from akgen.finetune.training.muon import Muon, orthogonal


@pytest.mark.parametrize("shape", [(16, 48), (48, 16), (24, 24)])
def test_singular_values_become_nearly_one(shape: tuple[int, int]) -> None:
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(1)) * 1e-3
    left, _, right = torch.linalg.svd(matrix, full_matrices=False)
    found = orthogonal(matrix)
    assert ((torch.linalg.svdvals(found) > 0.3) & (torch.linalg.svdvals(found) < 1.3)).all()
    assert torch.nn.functional.cosine_similarity(found.flatten(), (left @ right).flatten(), dim=0) > 0.95


class Small(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.embed = torch.nn.Embedding(12, 8)
        self.up, self.down = torch.nn.Linear(8, 16), torch.nn.Linear(16, 12)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.down(torch.relu(self.up(self.embed(tokens))))  # type: ignore[no-any-return, unused-ignore]


def steps(model: Small, optimizer: Muon, count: int, seed: int) -> float:
    drawn = torch.Generator().manual_seed(seed)
    loss = torch.zeros(())
    for _ in range(count):
        tokens = torch.randint(0, 12, (32,), generator=drawn)
        loss = torch.nn.functional.cross_entropy(model(tokens), (tokens * 5 + 3) % 12)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return float(loss)


def test_it_learns_and_each_kind_of_parameter_takes_its_own_step() -> None:
    model = Small()
    before = {n: p.detach().clone() for n, p in model.named_parameters()}
    optimizer = Muon(model, lr=0.02, weight_decay=0.0)
    steps(model, optimizer, 1, seed=1)
    moved = model.up.weight.detach() - before["up.weight"]
    values = torch.linalg.svdvals(moved) / (0.02 * 0.2 * 16**0.5)
    assert ((values > 0.3) & (values < 1.3)).all()
    assert (model.up.bias.detach() - before["up.bias"]).abs().max() == pytest.approx(0.02, rel=1e-3)
    assert steps(model, optimizer, 150, seed=2) < 0.1


def test_a_state_that_is_read_again_gives_the_same_weights() -> None:
    whole, halves = Small(), Small()
    straight, first = (Muon(m, lr=0.02, weight_decay=0.1) for m in (whole, halves))
    for model, optimizer in ((whole, straight), (halves, first)):
        steps(model, optimizer, 1, seed=1)
    second = Muon(halves, lr=0.02, weight_decay=0.1)
    second.load_state_dict(first.state_dict())
    steps(whole, straight, 3, seed=2)
    steps(halves, second, 3, seed=2)
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), halves.parameters(), strict=True))
    assert float(second.state[halves.up.weight]["step"]) == 4
