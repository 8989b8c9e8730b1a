"""One request on the wire: what a server's bytes become, and every way in which they can fail."""

import threading
import time
from email.utils import formatdate
from typing import Any

import pytest
from pydantic import SecretStr

from akgen.agents.models.faults import EndpointFault
from akgen.agents.models.http_client import REFUSAL_BYTES, HttpClient
from akgen.tools.core.outcome import InputError
from tests.loopback import Act, Loopback, loopback

STREAM = {"Content-Type": "text/event-stream; charset=utf-8"}


def _post(
    endpoint: Loopback, *, idle_s: float = 5.0, within_s: float = 9.0, limit: int = 1 << 20
) -> list[Any]:
    client = HttpClient(endpoint.url, None, idle_s=idle_s, connections=2)
    return list(client.post("asked", {"q": 1}, within_s=within_s, limit_bytes=limit))


def _fault(act: Act, **limits: Any) -> EndpointFault:
    with loopback("", act) as endpoint, pytest.raises(EndpointFault) as fault:
        _post(endpoint, **limits)
    return fault.value


def _received(raw: bytes, headers: dict[str, str] | None = None, **limits: Any) -> list[Any]:
    with loopback("", Act(raw=raw, headers=headers or {})) as endpoint:
        return _post(endpoint, **limits)


def _chunked(*pieces: bytes) -> Act:
    """Answer in pieces that the client receives one by one."""
    raw = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))
    return Act(raw=raw, headers={**STREAM, "Transfer-Encoding": "chunked"})


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_path_is_below_the_address_and_the_body_is_json(slash: str) -> None:
    with loopback("", Act(raw=b"{}")) as endpoint:
        client = HttpClient(endpoint.url + slash, None, idle_s=5.0, connections=1)
        list(client.post("asked", {"q": [1]}, within_s=9.0, limit_bytes=100))
    assert (endpoint.paths, endpoint.asked) == (["/v1/asked"], [{"q": [1]}])


@pytest.mark.parametrize(("key", "sent"), [(SecretStr("k"), "Bearer k"), (None, None)])
def test_a_key_is_sent_as_a_bearer_token(key: SecretStr | None, sent: str | None) -> None:
    with loopback("", Act(raw=b"{}")) as endpoint:
        client = HttpClient(endpoint.url, key, idle_s=5.0, connections=1)
        list(client.post("asked", {}, within_s=9.0, limit_bytes=100))
    assert endpoint.keys == [sent]


def test_an_address_that_is_none_is_refused_with_its_text() -> None:
    with pytest.raises(InputError, match=r"^The address 'http://a:b' cannot be used: .") as refused:
        HttpClient("http://a:b", None, idle_s=5.0, connections=1)
    assert refused.value.remedy == "Correct it."


def test_a_closed_client_asks_nothing_more() -> None:
    with loopback("", Act(raw=b"{}")) as endpoint:
        client = HttpClient(endpoint.url, None, idle_s=5.0, connections=1)
        client.close()
        with pytest.raises(RuntimeError):
            list(client.post("asked", {}, within_s=9.0, limit_bytes=100))


def test_a_document_is_one_event() -> None:
    assert _received(b'{"a": [1]}') == [{"a": [1]}]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"<p>\n no", "the answer is not JSON: '<p> no'"),
        (b"x" * 400, f"the answer is not JSON: {'x' * 300!r}"),
        (b"\xff", "the answer is not JSON: '\ufffd'"),
        (b"[1]", "the answer is a JSON list, not an object"),
    ],
)
def test_what_is_no_json_object_is_shown(raw: bytes, text: str) -> None:
    fault = _fault(Act(raw=raw))
    assert (fault.kind, fault.text, fault.status) == ("unreadable", text, None)


def test_an_answer_of_just_the_limit_is_taken() -> None:
    assert _received(b'{"a": 1}', limit=8) == [{"a": 1}]


def test_an_answer_above_the_limit_is_left() -> None:
    fault = _fault(Act(raw=b'{"a": 1}'), limit=7)
    assert (fault.kind, fault.text, fault.status) == ("too_large", "the answer is larger than 7 bytes", 200)


def test_the_limit_counts_all_pieces_together() -> None:
    assert _fault(Act(raw=b" " * 300_000), limit=299_999).kind == "too_large"


def test_events_are_the_data_lines_up_to_done() -> None:
    raw = b': hi\nevent: x\ndata: {"a": 1}\r\n\ndata:{"a": 2}\ndata: [DONE]\ndata: {"a": 3}\n'
    assert _received(raw, STREAM) == [{"a": 1}, {"a": 2}]


def test_a_line_without_its_end_is_no_event() -> None:
    assert _received(b'data: {"a": 1}\ndata: {"a": 2}', STREAM) == [{"a": 1}]


def test_an_event_may_come_in_several_pieces() -> None:
    text = "x" * 300_000
    assert _received(f'data: {{"a": "{text}"}}\n'.encode(), STREAM) == [{"a": text}]


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (b'{"message": "no  room.", "code": 503}', 503, "no room"),
        (b'{"message": "no room", "code": "full"}', 500, "no room"),
        (b'"no room"', 500, "no room"),
    ],
)
def test_an_error_among_the_events_ends_them(error: bytes, status: int, text: str) -> None:
    fault = _fault(Act(raw=b'data: {"error": ' + error + b"}\n", headers=STREAM))
    assert (fault.kind, fault.status, fault.text) == ("status", status, f"the server broke off: {text}")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'{"error": {"message": "too\\n fast."}}', "status 429, too fast"),
        (b'{"error": {"detail": "too fast"}}', "status 429, too fast"),
        (b'{"message": "too fast"}', "status 429, too fast"),
        (b'{"error": "too fast"}', "status 429, too fast"),
        (b'["too fast"]', "status 429, ['too fast']"),
        (b"too fast \xff", "status 429, too fast \ufffd"),
        (b"x" * 400, f"status 429, {'x' * 300}"),
        (b"x" * 200_000, f"status 429, {'x' * 300}"),
        (b'{"error": {}}', "status 429"),
        (b"", "status 429"),
    ],
)
def test_a_refusal_is_told_in_the_servers_words(raw: bytes, text: str) -> None:
    fault = _fault(Act(status=429, raw=raw))
    assert (fault.kind, fault.text, fault.status) == ("status", text, 429)


def test_a_refusal_in_pieces_is_read_whole_up_to_its_limit() -> None:
    end = b'", "error": {"message": "too fast"}}'
    for length, text in (
        (1, "too fast"),
        (REFUSAL_BYTES, "too fast"),
        (REFUSAL_BYTES + 1, f'{{"a": "{"x" * 293}'),
    ):
        begin = b'{"a": "'.ljust(length, b"x") if length > 1 else b'{"a": "'
        act = _chunked(begin, end)
        act.status = 429
        assert _fault(act).text == f"status 429, {text}"


def test_an_answer_in_pieces_is_one_document() -> None:
    act = _chunked(b'{"a":', b" 1}")
    act.headers["Content-Type"] = "application/json"
    with loopback("", act) as endpoint:
        assert _post(endpoint) == [{"a": 1}]


def test_an_event_is_there_before_the_next_comes_and_a_line_may_be_cut_anywhere() -> None:
    with loopback("", _chunked(b'data: {"a": 1}\nda', b'ta: {"a"', b": 2}\n")) as endpoint:
        assert _post(endpoint) == [{"a": 1}, {"a": 2}]


def test_only_the_dot_at_the_end_of_a_servers_words_goes() -> None:
    assert _fault(Act(status=429, raw=b'{"message": "no .FAX..."}')).text == "status 429, no .FAX"


def test_what_comes_after_the_time_of_the_whole_is_not_taken() -> None:
    with loopback("", _chunked(b'data: {"a": 1}\n', b'data: {"a": 2}\n')) as endpoint:
        client = HttpClient(endpoint.url, None, idle_s=5.0, connections=1)
        events = client.post("asked", {}, within_s=0.51, limit_bytes=1 << 20)
        assert next(events) == {"a": 1}
        late = threading.Event()
        threading.Timer(0.8, late.set).start()
        late.wait()
        with pytest.raises(EndpointFault) as fault:
            next(events)
    assert (fault.value.kind, fault.value.text) == ("timeout", "the answer was not complete within 1 s")


def test_a_body_that_dribbles_is_left_when_the_time_of_the_whole_is_up() -> None:
    end = threading.Event()
    with loopback("", Act(trickle=end)) as endpoint, pytest.raises(EndpointFault) as fault:
        client = HttpClient(endpoint.url, None, idle_s=5.0, connections=1)
        list(client.post("asked", {"stream": True}, within_s=0.51, limit_bytes=1 << 20))
    end.set()
    assert (fault.value.kind, fault.value.text) == ("timeout", "the answer was not complete within 1 s")


def test_a_long_error_document_is_read_whole() -> None:
    raw = b'{"pad": "' + b"x" * 60_000 + b'", "error": {"message": "too fast"}}'
    assert _fault(Act(status=429, raw=raw)).text == "status 429, too fast"


@pytest.mark.parametrize("name", ["code", "type"])
@pytest.mark.parametrize(("code", "transient"), [(b"insufficient_quota", False), (b"rate", True)])
def test_a_spent_quota_is_not_waited_out(name: str, code: bytes, transient: bool) -> None:
    raw = b'{"error": {"message": "m", "' + name.encode() + b'": "' + code + b'"}}'
    assert _fault(Act(status=429, raw=raw)).transient is transient


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), (formatdate(0, usegmt=True), 0.0), ("soon", None)],
)
def test_a_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert _fault(Act(status=429, headers={"Retry-After": value})).retry_after_s == seconds


def test_a_date_to_retry_after_is_counted_from_now() -> None:
    later = formatdate(time.time() + 1000, usegmt=True)
    seconds = _fault(Act(status=429, headers={"Retry-After": later})).retry_after_s
    assert seconds is not None and 980 < seconds <= 1000


def test_without_a_retry_after_there_is_none() -> None:
    assert _fault(Act(status=429)).retry_after_s is None


def test_a_silent_server_is_left_after_the_idle_time() -> None:
    hold = threading.Event()
    fault = _fault(Act(hold=hold, raw=b"{}"), idle_s=0.51)
    hold.set()
    assert (fault.kind, fault.text) == ("timeout", "no answer within 1 s")


@pytest.mark.parametrize("stage", ["head", "notes"])
def test_a_server_that_dribbles_is_left_when_the_time_of_the_whole_is_up(stage: str) -> None:
    end = threading.Event()
    fault = _fault(Act(**{stage: end}), within_s=0.51)  # type: ignore[arg-type]
    end.set()
    assert (fault.kind, fault.text) == ("timeout", "the answer was not complete within 1 s")


def test_an_answer_that_breaks_in_its_middle_is_cut() -> None:
    fault = _fault(Act(raw=b"zz\r\n", headers={"Transfer-Encoding": "chunked"}))
    assert fault.kind == "cut"
    assert fault.text.startswith("the connection was lost: ")


def test_an_answer_that_breaks_before_its_body_is_a_lost_connection() -> None:
    fault = _fault(Act(raw=b"{}", headers={"Content-Length": "5"}))
    assert fault.kind == "connection"
    assert fault.text.startswith("the connection was lost: ")


def test_a_server_that_is_gone_is_a_fault_of_the_connection() -> None:
    with loopback("") as endpoint:
        pass  # its port is closed again
    with pytest.raises(EndpointFault, match="refused") as fault:
        _post(endpoint)
    assert fault.value.kind == "connection"
