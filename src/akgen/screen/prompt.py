"""Where the person writes: Enter sends, code may have several lines, the arrows bring back what was sent."""

from textual import events
from textual.message import Message
from textual.widgets import TextArea

NEW_LINE = ("shift+enter", "ctrl+j", "alt+enter")


class Prompt(TextArea):
    """A text of one or more lines."""

    class Sent(Message):
        """The person sent a text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__(
            id="prompt",
            show_line_numbers=False,
            soft_wrap=True,
            compact=True,
            placeholder="gelu for fp16, 1024 by 4096    PyTorch code    /help",
        )
        self._sent: list[str] = []
        self._at = 0

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.prevent_default().stop()
            self._send()
        elif event.key in NEW_LINE:
            event.prevent_default().stop()
            self.insert("\n")
        elif event.key in ("up", "down") and "\n" not in self.text and self._sent:
            event.prevent_default().stop()
            self._recall(-1 if event.key == "up" else 1)
        else:
            await super()._on_key(event)

    def _send(self) -> None:
        text = self.text.rstrip()
        if not text.strip():
            return
        self._sent.append(text)
        self._at = len(self._sent)
        self.text = ""
        self.post_message(self.Sent(text))

    def _recall(self, step: int) -> None:
        self._at = max(0, min(len(self._sent), self._at + step))
        self.text = self._sent[self._at] if self._at < len(self._sent) else ""
        self.move_cursor(self.document.end)
