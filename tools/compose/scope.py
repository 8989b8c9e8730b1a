"""What the composer does not cover, said in one sentence."""


class Unsupported(Exception):
    """The task is outside the composer's scope; `op` names what is not covered."""

    def __init__(self, op: str, sentence: str) -> None:
        super().__init__(sentence)
        self.op = op
        self.sentence = sentence
