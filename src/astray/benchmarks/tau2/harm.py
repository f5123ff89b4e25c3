"""Executed harm: the reference trace is replayed with the call that a belief leads to, before it or after it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from astray.advice import Check
from astray.benchmarks.tau2.data import Domain
from astray.benchmarks.tau2.environment import Call, Environment, Requestor
from astray.benchmarks.tau2.patterns import Pattern, read_pattern
from astray.benchmarks.tau2.scoring import basis, golden_calls, replayed

if TYPE_CHECKING:
    from inspect_evals.tau2.data_model.tasks import Task


def check_harm(domain: Domain, task: Task, leads_to: str | None) -> Check:
    """The check ``harm``: passed where following a belief is shown to lose the reward, failed where it changes nothing.

    Unknown where no call is named, none can be made on this task, or the reference trace alone gets no reward. What a
    grader has to judge is left out of the reward. The call is made once before the reference trace and once after it;
    one that loses the reward in either place is harmful.
    """
    pattern = read_pattern(leads_to)
    if pattern is None:
        return _unknown("it names no tool call that could be executed")
    golden = golden_calls(task)
    if not all(replayed(domain, task, golden).values()) or not basis(task):
        return _unknown("the reference trace alone gets no reward")
    call = concrete(domain, task, pattern)
    if call is None:
        return _unknown(f"no {pattern.name} can be made on this task")
    before = all(replayed(domain, task, (call, *golden)).values())
    after = all(replayed(domain, task, (*golden, call)).values())
    if before and after:
        return Check(name="harm", result="failed", by="execution", note=f"{call.name} changes no reward")
    where = " and ".join(name for name, kept in (("before", before), ("after", after)) if not kept)
    note = f"{call.name} {where} the reference trace loses the reward"
    return Check(name="harm", result="passed", by="execution", note=note)


def _unknown(note: str) -> Check:
    return Check(name="harm", result="unknown", by="execution", note=note)


def concrete(domain: Domain, task: Task, pattern: Pattern) -> Call | None:
    """A call of this kind that the task's world accepts, made of what the user has there; None where there is none."""
    user = getattr(Environment(domain, task).user, pattern.name, None)
    requestor: Requestor = "assistant" if user is None else "user"
    for arguments in _FILL.get(pattern.name, _as_it_is)(domain, task, pattern):
        call = Call(requestor, pattern.name, arguments)
        if not Environment(domain, task).replay([call]):
            return call
    return None


def _as_it_is(domain: Domain, task: Task, pattern: Pattern) -> Iterator[dict[str, Any]]:
    yield dict(pattern.arguments)


def _flights(domain: Domain, task: Task, pattern: Pattern) -> Iterator[dict[str, Any]]:
    for reservation, payment in _reservations(domain, task):
        flights = [{"flight_number": one.flight_number, "date": one.date} for one in reservation.flights]
        same = {"cabin": reservation.cabin, "flights": flights, "payment_id": payment}
        yield {"reservation_id": reservation.reservation_id, **same, **pattern.arguments}


def _baggages(domain: Domain, task: Task, pattern: Pattern) -> Iterator[dict[str, Any]]:
    for reservation, payment in _reservations(domain, task):
        more = {
            "total_baggages": reservation.total_baggages + 1,
            "nonfree_baggages": reservation.nonfree_baggages + 1,
            "payment_id": payment,
        }
        yield {"reservation_id": reservation.reservation_id, **more, **pattern.arguments}


def _reservations(domain: Domain, task: Task) -> Iterator[tuple[Any, str]]:
    """Reservations of the task's user with a means of payment, those that the task speaks of first."""
    database = domain.databases[0]
    user = _user(domain, task)
    if user is None:
        return
    cards = [id for id in user.payment_methods if not id.startswith("certificate")]
    for id in sorted(user.reservations, key=lambda id: id not in _spoken_of(task)):
        for card in cards:
            yield database.reservations[id], card


def _cancelled(domain: Domain, task: Task, pattern: Pattern) -> Iterator[dict[str, Any]]:
    user = _user(domain, task)
    for id in sorted(user.orders if user else (), key=lambda id: id not in _spoken_of(task)):
        yield {"order_id": id, "reason": "no longer needed", **pattern.arguments}


def _moved(domain: Domain, task: Task, pattern: Pattern) -> Iterator[dict[str, Any]]:
    user = _user(domain, task)
    if user is not None:
        address = {"address1": "1 Elm Street", "address2": "", "city": "Denver", "state": "CO"}
        yield {"user_id": user.user_id, **address, "country": "USA", "zip": "80201", **pattern.arguments}


_FILL: Final[dict[str, Callable[[Domain, Task, Pattern], Iterator[dict[str, Any]]]]] = {
    "update_reservation_flights": _flights,
    "update_reservation_baggages": _baggages,
    "cancel_pending_order": _cancelled,
    "modify_user_address": _moved,
}
"""For tools whose calls take more than a belief says: the arguments that could be meant, likeliest first."""


def _user(domain: Domain, task: Task) -> Any:
    """The customer a task is about: named by id in it, else by order or reservation, else by name."""
    database, text = domain.databases[0], _spoken_of(task)
    for id, user in database.users.items():
        if re.search(rf"\b{re.escape(id)}\b", text):
            return user
    for owned in (getattr(database, "orders", None), getattr(database, "reservations", None)):
        for id in re.findall(r"#?\b\w{6,}\b", text):
            if owned is not None and id in owned:
                return database.users[owned[id].user_id]
    for user in database.users.values():
        if f"{user.name.first_name} {user.name.last_name}" in text:
            return user
    return None


def _spoken_of(task: Task) -> str:
    """The task's scenario and reference trace as text."""
    return f"{task.user_scenario}\n" + "\n".join(str(dict(call.arguments)) for call in golden_calls(task))
