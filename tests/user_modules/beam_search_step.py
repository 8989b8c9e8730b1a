import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, beams, eos):
        super().__init__()
        self.beams, self.eos = beams, eos

    def forward(self, logits, beam_scores, done):
        b = beam_scores.shape[0]
        vocab = logits.shape[-1]
        logp = torch.log_softmax(logits, -1).view(b, self.beams, vocab)
        frozen = torch.full((vocab,), float("-inf"))
        frozen[self.eos] = 0.0
        logp = torch.where(done.unsqueeze(-1), frozen, logp)
        total = (beam_scores.unsqueeze(-1) + logp).view(b, -1)
        scores, flat = total.topk(self.beams, dim=1)
        beam_idx = torch.div(flat, vocab, rounding_mode="floor")
        token = flat % vocab
        done = done.gather(1, beam_idx) | (token == self.eos)
        return scores, beam_idx, token, done


def get_inputs():
    return [
        torch.randn(8, 90),
        torch.randn(2, 4),
        torch.tensor([[False, False, True, False], [False, False, False, False]]),
    ]


def get_init_inputs():
    return [4, 2]
