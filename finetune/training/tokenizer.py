"""A tokenizer of our own for tasks and tensor programs, of which few tokens make a line and no name is ever cut open.

Runs of ordinary words are one piece, such as " is the square root of "; so are " = mul(" and ")\\n"; names and numbers
stand by themselves, and no piece reaches beyond a sentence, so that what is copied from a task has the same tokens in
both. Byte-level merges inside of the pieces: every text can be written.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import transformers
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

PAD, END = "<pad>", "<end>"
_NAME = re.compile(r"[A-Za-z_]\w*")
_STEP = re.compile(r"t\d+|[a-z]")
# What a chat is for a model that knows none: the last message alone, and its answer.
CHAT_TEMPLATE = (
    "{% for m in messages %}{{ m['content'] }}{% if m['role'] == 'assistant' %}<end>{% endif %}{% endfor %}"
)


def train_tokenizer(
    texts: Sequence[str], said: Iterable[str], names: Iterable[str], *, size: int, min_frequency: int = 4
) -> Any:
    """Train on `texts`. Words of the descriptions `said`, except names of tensors, are what runs are made of."""
    words = Counter(w for text in said for w in _NAME.findall(text))
    tensors = set(names)
    ordinary = sorted(w for w in words if w not in tensors and not _STEP.fullmatch(w))
    run = rf"(?:[ ,]*\b(?:{'|'.join(ordinary)})\b[ ,]*)+|" if ordinary else ""
    pieces = (
        r": \[[^\]\n]*\]\n*|"
        + run
        + r"\. | [-+*/@<>] | = (?:\w+\.)*\w+\(|\)\n|, |[A-Za-z_]\w*|\d+(?:\.\d+)?(?:e-?\d+)?|\n+| |."
    )
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pieces), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, min_frequency=min_frequency, special_tokens=[PAD, END], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(texts, trainer)
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=END, clean_up_tokenization_spaces=False
    )
    made.chat_template = CHAT_TEMPLATE
    return made
