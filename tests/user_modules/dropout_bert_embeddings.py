import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, vocab, hidden, max_pos):
        super().__init__()
        self.word = nn.Embedding(vocab, hidden, padding_idx=0)
        self.pos = nn.Embedding(max_pos, hidden)
        self.typ = nn.Embedding(2, hidden)
        self.LayerNorm = nn.LayerNorm(hidden, eps=1e-12)
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("position_ids", torch.arange(max_pos).expand((1, -1)))
        self.eval()

    def forward(self, input_ids, token_type_ids=None):
        seq = input_ids.size(1)
        pos = self.position_ids[:, :seq]
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        e = self.word(input_ids) + self.pos(pos) + self.typ(token_type_ids)
        pad = input_ids.ne(0)
        e = self.dropout(self.LayerNorm(e))
        return e, (1.0 - pad[:, None, None, :].to(e.dtype)) * -10000.0


def get_inputs():
    ids = torch.randint(1, 200, (3, 21))
    ids[1, 15:] = 0
    return [ids]


def get_init_inputs():
    return [200, 48, 64]
